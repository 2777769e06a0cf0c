import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useLive } from "@guildhall/console/api/live";
import { useText, useTexts } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { reasonWords } from "@guildhall/console/ui/faultWords";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { useFilters } from "@guildhall/console/ui/query";
import { RowList, RowMeta, RowTitle } from "@guildhall/console/ui/RowList";
import { Select } from "@guildhall/console/ui/Select";
import { Spans, type Span } from "@guildhall/console/ui/Spans";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Time } from "@guildhall/console/ui/Time";
import { usePages } from "@guildhall/console/ui/usePages";
import { lengthInWords, RUN_STATES, tookMs, type Run, type RunState } from "./run";
import styles from "./RunList.module.css";
import { usePeople } from "@guildhall/console/people/usePeople";

const ANY = "any";

export function RunList() {
  const t = useText();
  const [, navigate] = useLocation();
  const [filters, change] = useFilters();
  const state = RUN_STATES.find((one) => one === filters.state);
  const workflow = filters.workflow || undefined;
  const nameOf = usePeople();
  useLive("/api/runs", ["runs"]);
  const runs = usePages(["runs", "list", { state, workflow }], (cursor) =>
    dataOf(api.GET("/api/runs", { params: { query: { ...cursor, ...(state && { state }), ...(workflow && { workflow }) } } })),
  );
  const workflowName = useWorkflowNames();
  const spans = useMemo(() => spansOf(runs.data?.pages[0]?.items ?? [], workflowName), [runs.data, workflowName]);
  const row = useCallback((run: Run) => <Row run={run} name={workflowName(run.workflow.slug)} by={nameOf(run.created_by)} />, [nameOf, workflowName]);
  const isFiltered = Boolean(state ?? workflow);
  const clear = <Button onPress={() => change({ state: "", workflow: "" })}>{t("action.clear_filters")}</Button>;
  return (
    <>
      <PageHead title={t("nav.runs")}>
        <StateFilter state={state} onChange={(to) => change({ state: to })} />
        <WorkflowFilter workflow={workflow} onChange={(to) => change({ workflow: to })} />
        {isFiltered && clear}
      </PageHead>
      <Spans label={t("runs.when")} spans={spans} onOpen={(id) => navigate(`/runs/${id}`)} />
      <RowList
        label={t("nav.runs")}
        pages={runs}
        idOf={({ id }) => id}
        onOpen={({ id }) => navigate(`/runs/${id}`)}
        empty={
          isFiltered
            ? { text: t("list.no_matches"), action: clear }
            : { text: t("runs.empty"), action: <Button onPress={() => navigate("/workflows")}>{t("nav.workflows")}</Button> }
        }
        row={row}
      />
    </>
  );
}

const spansOf = (runs: readonly Run[], nameOf: (slug: string) => string): Span[] =>
  runs.map(({ id, workflow, state, created_at, finished_at }) => ({ id, name: nameOf(workflow.slug), state, from: created_at, until: finished_at }));

function Row({ run, name, by }: { run: Run; name: string; by: string }) {
  const { t, locale } = useTexts();
  return (
    <>
      <span className={styles.state}>
        <StateMark state={run.state} />
      </span>
      <RowTitle>
        <bdi title={run.workflow.slug}>{name}</bdi>
        <span className={styles.about}>{aboutRun(run, t)}</span>
      </RowTitle>
      <RowMeta>
        <span className={styles.by} dir="auto">
          {by}
        </span>
      </RowMeta>
      <RowMeta>
        <span className={styles.took}>
          {run.finished_at && lengthInWords(tookMs({ from: run.created_at, until: run.finished_at }, 0), locale)}
        </span>
      </RowMeta>
      <RowMeta>
        <span className={styles.at}>
          <Time at={run.created_at} />
        </span>
      </RowMeta>
    </>
  );
}

/** What a run is at, or why it failed. */
function aboutRun(run: Run, t: ReturnType<typeof useText>): string {
  if (run.error) return run.error.message ? reasonWords(t, run.error.message) : run.error.code;
  const last = run.steps.at(-1);
  if (run.state !== "running" || !last) return "";
  const items = last.items ? ` · ${t("runs.items_done", { done: last.items.done, total: last.items.total })}` : "";
  return `${last.name}${items}`;
}

function StateFilter({ state, onChange }: { state: RunState | undefined; onChange: (state: string) => void }) {
  const t = useText();
  const options = [{ id: ANY, name: t("runs.any_state") }, ...RUN_STATES.map((id) => ({ id, name: t(`state.${id}`) }))];
  return (
    <Select label={t("list.status")} isLabelHidden options={options} value={state ?? ANY} onChange={(to) => onChange(to === ANY ? "" : to)} />
  );
}

function useWorkflows() {
  const workflows = useQuery({
    queryKey: ["workflows", "names"],
    queryFn: () => dataOf(api.GET("/api/workflows", { params: { query: { limit: 200 } } })),
  });
  return workflows.data?.items;
}

/** What workflows are called; one that is gone by its slug. */
function useWorkflowNames(): (slug: string) => string {
  const workflows = useWorkflows();
  return useCallback((slug: string) => workflows?.find((one) => one.slug === slug)?.name || slug, [workflows]);
}

function WorkflowFilter({ workflow, onChange }: { workflow: string | undefined; onChange: (slug: string) => void }) {
  const t = useText();
  const known = (useWorkflows() ?? []).map(({ slug, name }) => ({ id: slug, name }));
  // One that is gone, or not among the first, stands in the address all the same.
  const options = workflow && !known.some(({ id }) => id === workflow) ? [...known, { id: workflow, name: workflow }] : known;
  return (
    <Select
      label={t("runs.workflow")}
      isLabelHidden
      options={[{ id: ANY, name: t("runs.any_workflow") }, ...options]}
      value={workflow ?? ANY}
      onChange={(to) => onChange(to === ANY ? "" : to)}
    />
  );
}
