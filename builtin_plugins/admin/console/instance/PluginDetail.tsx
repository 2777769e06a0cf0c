import { useText } from "@guildhall/console/i18n/texts";
import { usePermissionWords } from "@guildhall/console/people/permissions";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Table } from "@guildhall/console/ui/Table";
import cells from "@guildhall/console/ui/Cells.module.css";
import { usePlugins } from "../plugins";
import { Held } from "./Held";
import { MARKS } from "./Plugins";
import { PluginActivity } from "./PluginActivity";
import { PluginSwitch } from "./PluginSwitch";

/** One plugin: how it is, why it is out, and all that it brings. */
export function PluginDetail({ id }: { id: string }) {
  const t = useText();
  const plugins = usePlugins();
  const mayWords = usePermissionWords();
  if (plugins.isPending) return <SkeletonRows />;
  if (plugins.isLoadingError) return <ProblemNotice problem={plugins.error} onRetry={() => void plugins.refetch()} />;
  const plugin = plugins.data.items.find((one) => one.id === id);
  if (!plugin) return <EmptyState text={t("error.not_found")} />;
  const words = (list: readonly string[]) => (list.length === 0 ? <span className={cells.muted}>–</span> : <code>{list.join(", ")}</code>);
  return (
    <>
      <PageHead title={plugin.name || plugin.id} text={plugin.description}>
        <StateMark state={MARKS[plugin.status]} text={t(`plugins.${plugin.status}`)} />
        <PluginSwitch plugin={plugin} />
      </PageHead>
      {plugin.reason && (
        <Panel title={t("jobs.why")}>
          <p className={cells.reason}>{plugin.reason}</p>
        </Panel>
      )}
      {plugin.held.length > 0 && <Held plugin={plugin} />}
      <Panel title={t("plugins.brings")}>
        <Facts
          facts={[
            ["id", <code key="id">{plugin.id}</code>],
            [t("instance.version"), plugin.version],
            [t("plugins.source"), t(`plugins.source_${plugin.source.replace("-", "_")}`)],
            [t("nav.tools"), words(plugin.tools)],
            [t("plugins.workflows"), words(plugin.workflows)],
            [t("nav.jobs"), words(plugin.job_kinds.map(({ name }) => name))],
          ]}
        />
      </Panel>
      {plugin.status === "loaded" && <PluginActivity id={plugin.id} />}
      {plugin.routes.length > 0 && (
        <Panel title={t("plugins.rows")}>
          <Table
            label={t("plugins.rows")}
            items={plugin.routes}
            idOf={({ method, path }) => `${method} ${path}`}
            columns={[
              { id: "row", name: t("plugins.row"), cell: ({ method, path }) => <code>{`${method} ${path}`}</code> },
              { id: "doc", name: t("instance.detail"), cell: ({ doc }) => doc },
              { id: "permission", name: t("plugins.permission"), cell: ({ permission }) => (permission ? <span title={permission}>{mayWords(permission)}</span> : "–"), isSecondary: true },
            ]}
          />
        </Panel>
      )}
    </>
  );
}
