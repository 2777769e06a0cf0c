import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity, useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { shareAttachments, unshareAttachments } from "./attachments";
import { loadPeople } from "./people";
import { PersonField } from "./PersonField";
import styles from "./ShareNote.module.css";
import { noteKey } from "./useNote";
import type { Note, Permission } from "./version";

/** What a share may give, least first, and the words for it. */
const CAPABILITIES: readonly [Permission, string][] = [
  ["notes:read", "share.view"],
  ["notes:write", "share.edit"],
  ["notes:delete", "action.delete"],
  ["notes:manage", "share.manage"],
];

/** With whom a note is shared, and with whom else it shall be. */
export function ShareNote({ note, onClose }: { note: Note; onClose: () => void }) {
  const t = useText();
  const may = useMay();
  const { user } = useIdentity();
  const announce = useAnnounce();
  const client = useQueryClient();
  const people = useQuery({ queryKey: ["people", may("org:read")], queryFn: () => loadPeople(may("org:read")) });
  const [person, setPerson] = useState<string | null>(null);
  const [permission, setPermission] = useState<Permission>("notes:read");
  const [problem, setProblem] = useState<unknown>(null);
  const shares = note.shared_with ?? [];
  const path = { id: note.id };
  // Nobody gives more than they hold themselves, but for reading.
  const options = CAPABILITIES.filter(([name]) => name === "notes:read" || note.permissions.includes(name)).map(([id, key]) => ({
    id,
    name: t(key),
  }));

  async function attempt(work: () => Promise<unknown>) {
    setProblem(null);
    try {
      await work();
      return true;
    } catch (cause) {
      setProblem(cause);
      return false;
    } finally {
      void client.invalidateQueries({ queryKey: ["notes"] });
      await client.invalidateQueries({ queryKey: noteKey(note.id) });
    }
  }
  const give = (userId: string, given: Permission) =>
    attempt(async () => {
      await api.POST("/api/notes/{id}/share", { params: { path }, body: { user_id: userId, permission: given } });
      await shareAttachments(note.id, userId).catch(() => undefined);
    });
  async function end(userId: string, name: string, given: Permission) {
    const isEnded = await attempt(() => api.DELETE("/api/notes/{id}/share", { params: { path }, body: { user_id: userId } }));
    if (isEnded) void unshareAttachments(note.id, userId).catch(() => undefined);
    if (isEnded) announce(t("share.stopped", { name }), () => void give(userId, given));
  }
  const others = (people.data ?? []).filter(
    ({ id }) => id !== note.owner.id && id !== user.id && !shares.some((share) => share.user_id === id),
  );
  return (
    <Modal title={t("share.title", { name: note.title.slice(0, 80) })} isOpen onClose={onClose}>
      {people.isError && <ProblemNotice problem={people.error} onRetry={() => void people.refetch()} />}
      <Form
        name="share-note"
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (person) void give(person, permission).then((isGiven) => isGiven && setPerson(null));
        }}
      >
        {problem !== null && <ProblemNotice problem={problem} />}
        <PersonField
          label={t("share.person")}
          people={others}
          value={person}
          onChange={setPerson}
          fault={problem instanceof Problem ? problem.at("/user_id") : undefined}
        />
        <Select label={t("share.capability")} options={options} value={permission} onChange={(id) => setPermission(id as Permission)} />
        <Button kind="primary" type="submit">
          {t("action.share")}
        </Button>
      </Form>
      {shares.length === 0 ? (
        <p className={styles.nobody}>{t("share.nobody")}</p>
      ) : (
        <ul className={styles.shares} aria-label={t("share.people_count", { count: shares.length })}>
          {shares.map((share) => (
            <li key={share.user_id} className={styles.share}>
              <span className={styles.name} dir="auto">
                {share.name}
              </span>
              <Select
                isLabelHidden
                label={`${t("share.capability")}: ${share.name}`}
                options={options}
                value={share.permission}
                onChange={(id) => void give(share.user_id, id as Permission)}
              />
              <Button
                kind="quiet"
                aria-label={`${t("share.unshare")}: ${share.name}`}
                onPress={() => void end(share.user_id, share.name, share.permission)}
              >
                {t("share.unshare")}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Actions>
        <Button onPress={onClose}>{t("action.close")}</Button>
      </Actions>
    </Modal>
  );
}
