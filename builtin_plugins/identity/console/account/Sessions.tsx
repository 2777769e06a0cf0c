import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { LogOut } from "lucide-react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity, useSignOut } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Table } from "@guildhall/console/ui/Table";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import styles from "./Account.module.css";
import { describeAgent } from "./agent";

const MOST_SESSIONS = 200;

/** Where one is signed in, to be ended one by one or all but this. */
export function Sessions() {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const signOut = useSignOut();
  const { teams } = useIdentity();
  const sessions = useQuery({
    queryKey: ["sessions"],
    queryFn: () => dataOf(api.GET("/api/sessions", { params: { query: { limit: MOST_SESSIONS } } })),
  });
  const end = useMutation({
    mutationFn: async (ids: string[]) => {
      for (const id of ids) await api.DELETE("/api/sessions/{id}", { params: { path: { id } } });
      return ids.length;
    },
    onSuccess: (count) => announce(t("account.sessions_ended", { count })),
    onSettled: () => void client.invalidateQueries({ queryKey: ["sessions"] }),
  });
  if (sessions.isPending) return <SkeletonRows />;
  if (sessions.isLoadingError) return <ProblemNotice problem={sessions.error} onRetry={() => void sessions.refetch()} />;
  const items = sessions.data.items;
  const others = items.filter((session) => !session.current).map(({ id }) => id);
  return (
    <Panel
      title={t("account.sessions")}
      actions={
        others.length > 0 && (
          <Button isPending={end.isPending} onPress={() => end.mutate(others)}>
            {t("account.sessions_end_others")}
          </Button>
        )
      }
    >
      {end.isError && <ProblemNotice problem={end.error} />}
      <Table
        label={t("account.sessions")}
        items={items}
        idOf={({ id }) => id}
        columns={[
          {
            id: "agent",
            name: t("account.session_where"),
            cell: ({ agent, address, current }) => (
              <>
                <span className={styles.agent} title={agent ?? undefined}>
                  {describeAgent(agent) ?? t("state.unknown")}
                </span>
                {address && <span className={styles.detail}>{address}</span>}
                {current && <StateMark state="on" text={t("account.session_current")} />}
              </>
            ),
          },
          { id: "team", name: t("nav.group_team"), isSecondary: true, cell: ({ team_id }) => teams.find(({ id }) => id === team_id)?.name ?? "" },
          { id: "began", name: t("account.session_began"), isSecondary: true, cell: ({ created_at }) => <Time at={created_at} /> },
          { id: "used", name: t("tokens.last_used"), cell: ({ last_used_at, created_at }) => <Time at={last_used_at ?? created_at} /> },
        ]}
        actions={(session) =>
          session.current ? (
            <RowAction icon={LogOut} name={t("entry.sign_out")} of={t("account.session_current")} onPress={() => void signOut()} />
          ) : (
            <RowAction
              icon={LogOut}
              name={t("account.session_end")}
              of={describeAgent(session.agent) ?? session.id}
              onPress={() => end.mutate([session.id])}
            />
          )
        }
      />
    </Panel>
  );
}
