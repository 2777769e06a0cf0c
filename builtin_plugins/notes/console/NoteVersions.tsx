import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Difference } from "@guildhall/console/ui/Difference";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePeople } from "@guildhall/console/people/usePeople";
import styles from "./Notes.module.css";
import { noteKey } from "./useNote";
import type { Note } from "./version";

/** What a note was before each change: compared with what it is now, and made that again. */
export function NoteVersions({ note, onClose }: { note: Note; onClose: () => void }) {
  const t = useText();
  const nameOf = usePeople();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [picked, setPicked] = useState<number | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const path = { id: note.id };
  const versions = useQuery({
    queryKey: ["note-versions", note.id, note.updated_at],
    queryFn: () => dataOf(api.GET("/api/notes/{id}/versions", { params: { path, query: { limit: 200 } } })),
  });
  const items = versions.data?.items ?? [];
  // What it was before the last change, until somebody picks another.
  const chosen = picked ?? items[1]?.version ?? null;
  const version = useQuery({
    queryKey: ["note-version", note.id, chosen],
    queryFn: () => dataOf(api.GET("/api/notes/{id}/versions/{number}", { params: { path: { ...path, number: String(chosen) } } })),
    enabled: chosen !== null,
  });
  const isOld = chosen !== null && chosen !== items[0]?.version;
  async function restore(number: number) {
    setProblem(null);
    try {
      await api.POST("/api/notes/{id}/versions/{number}/restore", { params: { path: { ...path, number: String(number) } } });
      void client.invalidateQueries({ queryKey: ["notes"] });
      await client.invalidateQueries({ queryKey: noteKey(note.id) });
      announce(t("notes.version_restored", { version: number }));
      onClose();
    } catch (cause) {
      setProblem(cause);
    }
  }
  return (
    <Modal title={t("notes.versions")} isOpen isWide onClose={onClose}>
      {problem !== null && <ProblemNotice problem={problem} />}
      {versions.isPending && <SkeletonRows count={3} />}
      {versions.isError && <ProblemNotice problem={versions.error} onRetry={() => void versions.refetch()} />}
      {items.length === 1 && <p>{t("notes.versions_one")}</p>}
      <ul className={styles.versions} aria-label={t("notes.versions")}>
        {items.map(({ version: number, created_at, created_by }, place) => (
          <li key={number}>
            <Button kind={number === chosen ? "plain" : "quiet"} aria-pressed={number === chosen} onPress={() => setPicked(number)}>
              {t("notes.version_n", { version: number })}
            </Button>
            <Time at={created_at} />
            <bdi>{nameOf(created_by)}</bdi>
            {place === 0 && <span>{t("notes.version_now")}</span>}
          </li>
        ))}
      </ul>
      {version.isError && <ProblemNotice problem={version.error} onRetry={() => void version.refetch()} />}
      {isOld && version.data && (
        <Difference
          before={`${version.data.title}\n\n${version.data.body}`}
          after={`${note.title}\n\n${note.body}`}
          beforeName={t("notes.version_n", { version: version.data.version })}
          afterName={t("notes.version_now")}
        />
      )}
      <Actions>
        <Button kind="quiet" onPress={onClose}>
          {t("action.close")}
        </Button>
        {isOld && note.permissions.includes("notes:write") && (
          <Button kind="primary" onPress={() => void restore(chosen)}>
            {t("notes.version_restore")}
          </Button>
        )}
      </Actions>
    </Modal>
  );
}
