import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Switch } from "@guildhall/console/ui/Switch";
import { Table } from "@guildhall/console/ui/Table";
import styles from "./Inbox.module.css";
import { CHOICES, loadChoices, MAIL_CHOICES, SETTINGS, type Choice, type Choices } from "./inboxCalls";
import { askPermission, usePushHere } from "./usePush";

interface Kind {
  name: string;
  title: string;
}

/** Of which kinds one hears how; each choice is saved as it is made. */
export function WhatIHear() {
  const t = useText();
  const client = useQueryClient();
  const kinds = useQuery({ queryKey: ["notification-kinds"], queryFn: async () => (await callRow({ method: "GET", path: "/api/notification-kinds" })) as { items: Kind[] } });
  const choices = useQuery({ queryKey: CHOICES, queryFn: loadChoices });
  const choose = useMutation({
    mutationFn: async ({ kind, ...choice }: { kind: string } & Partial<Choice>) => {
      if (choice.push) await askPermission();
      return (await callRow({ method: "PUT", path: SETTINGS, body: { [kind]: choice } })) as Choices;
    },
    onSuccess: (after) => client.setQueryData(CHOICES, after),
  });
  const failed = [kinds, choices].find(({ isLoadingError }) => isLoadingError);
  return (
    <Panel title={t("notifications.settings")}>
      <p className={styles.help}>{t("notifications.settings_help")}</p>
      {choose.isError && <ProblemNotice problem={choose.error} />}
      {Object.values(choices.data ?? {}).some(({ push }) => push) && <PushHere />}
      {failed ? (
        <ProblemNotice problem={failed.error} onRetry={() => void failed.refetch()} />
      ) : !kinds.data || !choices.data ? (
        <SkeletonRows />
      ) : (
        <Table
          label={t("notifications.settings")}
          items={kinds.data.items}
          idOf={({ name }) => name}
          columns={[
            { id: "kind", name: t("notifications.settings"), cell: ({ title }) => title },
            {
              id: "mail",
              name: t("notifications.mail"),
              cell: ({ name, title }) => (
                <Select
                  label={t("notifications.mail_of", { kind: title })}
                  isLabelHidden
                  options={MAIL_CHOICES.map((id) => ({ id, name: t(`notifications.mail_${id}`) }))}
                  value={choices.data[name]?.mail ?? "never"}
                  onChange={(mail) => choose.mutate({ kind: name, mail: mail as Choice["mail"] })}
                />
              ),
            },
            {
              id: "push",
              name: t("notifications.push"),
              cell: ({ name, title }) => (
                <Switch
                  aria-label={t("notifications.push_of", { kind: title })}
                  isSelected={choices.data[name]?.push ?? false}
                  onChange={(push) => choose.mutate({ kind: name, push })}
                />
              ),
            },
          ]}
        />
      )}
    </Panel>
  );
}

/** What comes of it in this browser: why it shows nothing and what to do, or when it shows what is new. */
function PushHere() {
  const t = useText();
  const { obstacle, device } = usePushHere();
  if (!obstacle && device.isError) return <ProblemNotice problem={device.error} onRetry={() => void device.refetch()} />;
  const state = obstacle ?? device.data;
  return (
    <div role="status" className={styles.here}>
      {state && <p>{t(`notifications.push_${state}`)}</p>}
      {state === "unasked" && <Button onPress={() => void askPermission()}>{t("notifications.push_ask")}</Button>}
    </div>
  );
}
