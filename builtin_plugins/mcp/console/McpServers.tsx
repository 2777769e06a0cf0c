import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import type { paths } from "@guildhall/console/api/schema";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Difference } from "@guildhall/console/ui/Difference";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Table } from "@guildhall/console/ui/Table";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import cells from "@guildhall/console/ui/Cells.module.css";
import styles from "./Instance.module.css";

type Server = paths["/api/mcp"]["get"]["responses"]["200"]["content"]["application/json"]["items"][number];
type Change = Server["changes"][number];

const FRESH_MS = 10_000;
const MARKS: Record<Server["status"], string> = { connected: "on", connecting: "running", down: "failed", needs_approval: "queued" };

/** The MCP servers of the settings, and what waits for an operator's approval. */
export function McpServers() {
  const t = useText();
  const servers = useQuery({ queryKey: ["mcp"], queryFn: () => dataOf(api.GET("/api/mcp")), refetchInterval: FRESH_MS });
  return (
    <>
      <PageHead title={t("nav.mcp")} text={t("mcp.text")} />
      {servers.isPending ? (
        <SkeletonRows />
      ) : servers.isLoadingError ? (
        <ProblemNotice problem={servers.error} onRetry={() => void servers.refetch()} />
      ) : servers.data.items.length === 0 ? (
        <EmptyState text={t("mcp.empty")} />
      ) : (
        servers.data.items.map((server) => <OneServer key={server.name} server={server} />)
      )}
    </>
  );
}

function OneServer({ server }: { server: Server }) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const approve = useMutation({
    mutationFn: (tools?: string[]) =>
      dataOf(
        api.POST("/api/mcp/{name}/approve", {
          params: { path: { name: server.name } },
          body: tools ? { tools } : {},
          // What was looked at is what is approved: a tool that changed meanwhile is looked at again.
          headers: { "If-Match": `"${server.revision}"` },
        }),
      ),
    onSuccess: () => announce(t("mcp.approved")),
    onSettled: () => client.invalidateQueries({ queryKey: ["mcp"] }),
  });
  const waiting = server.changes.filter(({ what }) => what !== "removed");
  return (
    <Panel title={server.name} actions={<StateMark state={MARKS[server.status]} text={t(`mcp.${server.status}`)} />}>
      <Facts
        facts={[
          [t("mcp.transport"), server.transport],
          ...(server.protocol ? [[t("mcp.protocol"), server.protocol] as const] : []),
          [t("mcp.since"), <Time key="since" at={server.since} />],
          ...(server.detail ? [[t("instance.detail"), server.detail] as const] : []),
        ]}
      />
      {approve.isError && <ProblemNotice problem={approve.error} />}
      {server.changes.length > 0 && (
        <>
          <div className={cells.line}>
            <strong>{t("mcp.changed", { count: server.changes.length })}</strong>
            {waiting.length > 0 && (
              <Button kind="primary" isPending={approve.isPending} onPress={() => approve.mutate(undefined)}>
                {t("mcp.approve_all")}
              </Button>
            )}
          </div>
          <ul className={styles.changes}>
            {server.changes.map((change) => (
              <li key={change.tool} className={styles.change}>
                <div className={cells.line}>
                  <code>{change.tool}</code>
                  <span className={cells.muted}>{t(`mcp.what_${change.what}`)}</span>
                  {change.what !== "removed" && (
                    <Button aria-label={`${t("action.approve")}: ${change.tool}`} isDisabled={approve.isPending} onPress={() => approve.mutate([change.tool])}>
                      {t("action.approve")}
                    </Button>
                  )}
                </div>
                <Difference before={definition(change.before)} after={definition(change.after)} beforeName={t("mcp.before")} afterName={t("mcp.after")} />
              </li>
            ))}
          </ul>
        </>
      )}
      {server.tools.length > 0 && (
        <Table
          label={`${server.name}: ${t("nav.tools")}`}
          items={server.tools}
          idOf={({ name }) => name}
          columns={[
            { id: "name", name: t("list.name"), cell: ({ name }) => <code>{name}</code> },
            { id: "original", name: t("mcp.original"), cell: ({ original }) => original, isSecondary: true },
            {
              id: "approved",
              name: t("list.status"),
              cell: ({ approved }) => <StateMark state={approved ? "on" : "queued"} text={t(approved ? "mcp.tool_approved" : "tools.needs_approval")} />,
            },
          ]}
        />
      )}
      {server.refused.length > 0 && (
        <Table
          label={`${server.name}: ${t("mcp.refused")}`}
          items={server.refused}
          idOf={({ tool }) => tool}
          columns={[
            { id: "tool", name: t("mcp.refused"), cell: ({ tool }) => <code>{tool}</code> },
            { id: "reason", name: t("jobs.why"), cell: ({ reason }) => reason },
          ]}
        />
      )}
    </Panel>
  );
}

/** A definition as text to compare; one that is not there is empty. */
function definition(given: Change["before"]): string {
  return given ? `${given.description}\n\n${JSON.stringify(given.schema, null, 2)}` : "";
}
