import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useCallback, useMemo } from "react";
import { useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useLive } from "@guildhall/console/api/live";
import { useText } from "@guildhall/console/i18n/texts";
import { usePluginName } from "@guildhall/console/screens/pages";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { RowList, RowMeta, RowTitle } from "@guildhall/console/ui/RowList";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { usePages } from "@guildhall/console/ui/usePages";
import type { Run } from "../runs/run";
import type { WorkflowSummary } from "./workflow";
import styles from "./WorkflowList.module.css";

export function WorkflowList() {
  const t = useText();
  const may = useMay();
  const [, navigate] = useLocation();
  const workflows = usePages(["workflows"], (cursor) => dataOf(api.GET("/api/workflows", { params: { query: cursor } })));
  useLive("/api/runs", ["runs"]);
  const lastRuns = useLastRuns();
  const row = useCallback(
    (workflow: WorkflowSummary) => <Row workflow={workflow} lastRun={lastRuns.get(workflow.slug)} />,
    [lastRuns],
  );
  const add = may("workflows:write") && (
    <Button kind="primary" onPress={() => navigate("/workflows/new")}>
      <Plus size={16} />
      {t("workflows.new")}
    </Button>
  );
  return (
    <>
      <PageHead title={t("nav.workflows")} text={t("workflows.about")}>
        {add}
      </PageHead>
      <RowList
        label={t("nav.workflows")}
        pages={workflows}
        idOf={({ slug }) => slug}
        onOpen={({ slug }) => navigate(`/workflows/${slug}/steps`)}
        empty={{ text: t("workflows.empty"), action: add }}
        row={row}
      />
    </>
  );
}

function Row({ workflow, lastRun }: { workflow: WorkflowSummary; lastRun: Run | undefined }) {
  const t = useText();
  const nameOf = usePluginName();
  return (
    <>
      <RowTitle>
        <span dir="auto">{workflow.name}</span> <code className={styles.slug}>{workflow.slug}</code>
      </RowTitle>
      <RowMeta>
        <span className={styles.source}>
          {workflow.source ? t("workflows.shipped_by", { plugin: nameOf(workflow.source) }) : t("workflows.own")}
        </span>
      </RowMeta>
      <RowMeta>
        <span className={styles.inputs}>{t("workflows.inputs", { count: Object.keys(workflow.inputs).length })}</span>
      </RowMeta>
      <RowMeta>
        <span className={styles.version}>{t("workflows.version", { version: workflow.version })}</span>
      </RowMeta>
      <RowMeta>
        <span className={styles.state}>
          {!workflow.enabled ? <StateMark state="off" /> : lastRun ? <StateMark state={lastRun.state} /> : <span className={styles.never}>{t("workflows.never_ran")}</span>}
        </span>
      </RowMeta>
    </>
  );
}

const LOOKED_AT = 100;

/** The newest run of each workflow, among the team's last ones. */
function useLastRuns(): Map<string, Run> {
  const runs = useQuery({
    queryKey: ["runs", { limit: LOOKED_AT }],
    queryFn: () => dataOf(api.GET("/api/runs", { params: { query: { limit: LOOKED_AT } } })),
  });
  return useMemo(() => {
    const newest = new Map<string, Run>();
    for (const run of runs.data?.items ?? []) {
      if (!newest.has(run.workflow.slug)) newest.set(run.workflow.slug, run);
    }
    return newest;
  }, [runs.data]);
}
