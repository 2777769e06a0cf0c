import { useState } from "react";
import { useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { usePluginName } from "@guildhall/console/screens/pages";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Difference } from "@guildhall/console/ui/Difference";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Table } from "@guildhall/console/ui/Table";
import { Time } from "@guildhall/console/ui/Time";
import { usePages } from "@guildhall/console/ui/usePages";
import { usePeople } from "@guildhall/console/people/usePeople";
import styles from "./Versions.module.css";
import { specText, useWorkflow, type Workflow, type WorkflowSummary } from "./workflow";

/** Every version of a workflow, and what differs between two of them. */
export function Versions({ workflow: { slug, version: current } }: { workflow: Workflow }) {
  const t = useText();
  const may = useMay();
  const [, navigate] = useLocation();
  const nameOf = usePeople();
  const pluginName = usePluginName();
  const pages = usePages(["workflow", slug, "versions"], (cursor) =>
    dataOf(api.GET("/api/workflows/{slug}/versions", { params: { path: { slug }, query: cursor } })),
  );
  if (pages.isPending) return <SkeletonRows />;
  if (pages.isLoadingError) return <ProblemNotice problem={pages.error} onRetry={() => void pages.refetch()} />;
  const versions: WorkflowSummary[] = pages.data.pages.flatMap(({ items }) => items);
  const origin = ({ source, published_by }: WorkflowSummary) =>
    source ? t("workflows.shipped_by", { plugin: pluginName(source) }) : published_by ? nameOf(published_by) : "";
  return (
    <div className={styles.versions}>
      <Table
        label={t("workflows.versions")}
        items={versions}
        idOf={({ version }) => String(version)}
        columns={[
          { id: "version", name: t("workflows.versions"), cell: ({ version }) => t("workflows.version", { version }) },
          { id: "name", name: t("list.name"), cell: ({ name }) => <span dir="auto">{name}</span>, isSecondary: true },
          { id: "by", name: t("workflows.published_by"), cell: origin },
          { id: "at", name: t("list.created"), cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        {...(may("workflows:write") && {
          actions: ({ version }: WorkflowSummary) =>
            version !== current && (
              <Button kind="quiet" onPress={() => navigate(`/workflows/${slug}/edit?version=${version}`)}>
                {t("workflows.edit_from", { version })}
              </Button>
            ),
        })}
      />
      {pages.hasNextPage && <Button onPress={() => void pages.fetchNextPage()}>{t("action.show_more")}</Button>}
      {versions.length > 1 && <Comparison slug={slug} versions={versions.map(({ version }) => version)} />}
    </div>
  );
}

function Comparison({ slug, versions }: { slug: string; versions: readonly number[] }) {
  const t = useText();
  const [before, setBefore] = useState(versions[1]!);
  const [after, setAfter] = useState(versions[0]!);
  const older = useWorkflow(slug, before);
  const newer = useWorkflow(slug, after);
  const options = versions.map((version) => ({ id: String(version), name: t("workflows.version", { version }) }));
  const failed = older.error ?? newer.error;
  return (
    <section className={styles.comparison} aria-label={t("workflows.compare")}>
      <h2>{t("workflows.compare")}</h2>
      <div className={styles.choice}>
        <Select label={t("workflows.compare_from")} options={options} value={String(before)} onChange={(to) => setBefore(Number(to))} />
        <Select label={t("workflows.compare_to")} options={options} value={String(after)} onChange={(to) => setAfter(Number(to))} />
      </div>
      {failed ? (
        <ProblemNotice problem={failed} />
      ) : older.data && newer.data ? (
        <Difference
          before={specText(older.data)}
          after={specText(newer.data)}
          beforeName={t("workflows.version", { version: before })}
          afterName={t("workflows.version", { version: after })}
        />
      ) : (
        <SkeletonRows />
      )}
    </section>
  );
}
