import { Link } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useFilters } from "@guildhall/console/ui/query";
import { Select } from "@guildhall/console/ui/Select";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Table } from "@guildhall/console/ui/Table";
import { TextField } from "@guildhall/console/ui/TextField";
import cells from "@guildhall/console/ui/Cells.module.css";
import styles from "./Instance.module.css";
import { usePlugins, type Plugin } from "../plugins";
import { PluginSwitch } from "./PluginSwitch";

const ALL = "all";
const STATES = ["loaded", "quarantined", "blocked"] as const;
export const MARKS: Record<Plugin["status"], string> = { loaded: "on", quarantined: "failed", blocked: "cancelled" };

/** Every plugin with its state; what is out, and why, comes first. */
export function Plugins() {
  const t = useText();
  const plugins = usePlugins();
  const [filters, change] = useFilters();
  if (plugins.isPending) return <SkeletonRows />;
  if (plugins.isLoadingError) return <ProblemNotice problem={plugins.error} onRetry={() => void plugins.refetch()} />;
  const wanted = (filters.q ?? "").toLocaleLowerCase();
  const shown = plugins.data.items
    .filter((one) => !filters.status || one.status === filters.status)
    .filter(({ id, name }) => `${id} ${name}`.toLocaleLowerCase().includes(wanted))
    .sort((one, other) => Number(one.status === "loaded") - Number(other.status === "loaded") || one.name.localeCompare(other.name));
  return (
    <>
      <PageHead title={t("nav.plugins")} text={t("plugins.text")} />
      <div className={styles.filters}>
        <TextField label={t("action.search")} value={filters.q ?? ""} onChange={(q) => change({ q })} />
        <Select
          label={t("list.status")}
          options={[{ id: ALL, name: t("plugins.all") }, ...STATES.map((id) => ({ id: id as string, name: t(`plugins.${id}`) }))]}
          value={filters.status ?? ALL}
          onChange={(status) => change({ status: status === ALL ? "" : status })}
        />
        <span className={styles.count}>{t("list.count", { count: shown.length })}</span>
      </div>
      {shown.length === 0 ? (
        <EmptyState text={t("list.no_matches")} />
      ) : (
        <Table<Plugin>
          label={t("nav.plugins")}
          items={shown}
          idOf={({ id }) => id}
          columns={[
            { id: "name", name: t("list.name"), cell: (one) => <Named plugin={one} /> },
            { id: "status", name: t("list.status"), cell: ({ status }) => <StateMark state={MARKS[status]} text={t(`plugins.${status}`)} /> },
            { id: "version", name: t("instance.version"), cell: ({ version }) => version, isSecondary: true },
            { id: "source", name: t("plugins.source"), cell: ({ source }) => t(`plugins.source_${source.replace("-", "_")}`), isSecondary: true },
            { id: "team", name: t("plugins.for_team"), cell: (one) => <PluginSwitch plugin={one} /> },
          ]}
        />
      )}
    </>
  );
}

/** What a restart would change, in a sentence; nothing where that is nothing. */
export function useRestartNote({ version, installed_version: installed }: Plugin): string | null {
  const t = useText();
  if (installed === version) return null;
  return installed === null ? t("plugins.not_installed") : t("plugins.newer_installed", { installed, version });
}

function Named({ plugin }: { plugin: Plugin }) {
  const t = useText();
  const { id, name, reason, description, held } = plugin;
  const restart = useRestartNote(plugin);
  return (
    <span className={cells.name}>
      <Link href={`/instance/plugins/${encodeURIComponent(id)}`} className={cells.strong}>
        {name || id}
      </Link>
      <span className={`${cells.muted} ${styles.about}`}>{description || id}</span>
      {reason && <span className={cells.reason}>{t("plugins.reason", { reason })}</span>}
      {held.length > 0 && <span className={cells.reason}>{t("plugins.held_count", { count: held.length })}</span>}
      {restart && <span className={cells.reason}>{restart}</span>}
    </span>
  );
}
