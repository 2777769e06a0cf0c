import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import type { Head } from "./conversation";
import styles from "./ShareConversation.module.css";
import { useSending } from "./useSending";

type Capability = "view" | "edit";
interface Grant {
  principal_type: "user" | "team";
  principal_id: string;
  name: string;
  capability: Capability;
  expired: boolean;
}

const MAX_PEOPLE = 200;

/** With whom a conversation is shared: to read it, or to go on with it. */
export function ShareConversation({ conversation, onClose }: { conversation: Head; onClose: () => void }) {
  const t = useText();
  const { team, user } = useIdentity();
  const client = useQueryClient();
  const key = ["conversation-grants", conversation.id];
  const path = { id: conversation.id };
  const grants = useQuery({ queryKey: key, queryFn: async () => (await dataOf(api.GET("/api/conversations/{id}/grants", { params: { path } }))).items as unknown as Grant[] });
  const people = useQuery({
    queryKey: ["people", team.id],
    queryFn: () => dataOf(api.GET("/api/members", { params: { query: { limit: MAX_PEOPLE } } })),
    select: ({ items }) => items.filter(({ user_id }) => user_id !== user.id).map(({ user_id, display_name }) => ({ id: `user:${user_id}`, name: display_name })),
  });
  const [who, setWho] = useState<string | null>(null);
  const [capability, setCapability] = useState<Capability>("view");
  const { problem, send, faultAt } = useSending();
  const given = grants.data ?? [];
  const targets = [{ id: `team:${team.id}`, name: t("chat.whole_team", { team: team.name }) }, ...(people.data ?? [])];
  const options = (["view", "edit"] as const).map((id) => ({ id, name: t(`chat.may_${id}`) }));

  async function attempt(work: () => Promise<unknown>) {
    await send(work);
    await client.invalidateQueries({ queryKey: key });
  }
  const give = (principal: string, wanted: Capability) => {
    const [type, id] = principal.split(":") as ["user" | "team", string];
    const body = { principal_type: type, principal_id: id, capability: wanted };
    return attempt(() => api.POST("/api/conversations/{id}/share", { params: { path }, body }));
  };
  const end = ({ principal_type, principal_id }: Grant) =>
    attempt(() => api.POST("/api/conversations/{id}/unshare", { params: { path }, body: { principal_type, principal_id } }));
  return (
    <Modal title={t("chat.share_title", { title: (conversation.title || t("chat.new")).slice(0, 80) })} isOpen onClose={onClose}>
      <p className={styles.help}>{t("chat.share_help")}</p>
      {grants.isError && <ProblemNotice problem={grants.error} onRetry={() => void grants.refetch()} />}
      <Form
        name="share-conversation"
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (who) void give(who, capability);
        }}
      >
        {problem !== null && <ProblemNotice problem={problem} />}
        <Select label={t("chat.share_with")} isRequired options={targets} value={who} onChange={setWho} {...faultAt("/principal_id")} />
        <Select label={t("chat.capability")} options={options} value={capability} onChange={(id) => setCapability(id as Capability)} {...faultAt("/capability")} />
        <Button kind="primary" type="submit">
          {t("action.share")}
        </Button>
      </Form>
      {given.length > 0 && (
        <ul className={styles.shares} aria-label={t("chat.shared_with")}>
          {given.map((grant) => (
            <li key={grant.principal_id}>
              <span dir="auto">{grant.name}</span>
              <Select
                isLabelHidden
                label={`${t("chat.capability")}: ${grant.name}`}
                options={options}
                value={grant.capability}
                onChange={(id) => void give(`${grant.principal_type}:${grant.principal_id}`, id as Capability)}
              />
              <Button kind="quiet" aria-label={`${t("chat.unshare")}: ${grant.name}`} onPress={() => void end(grant)}>
                {t("chat.unshare")}
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
