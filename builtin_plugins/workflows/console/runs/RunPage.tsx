import { useMemo } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useFilters } from "@guildhall/console/ui/query";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { graphOf, type SpecGraph } from "../workflows/spec";
import { StepGraph } from "../workflows/StepGraph";
import { useWorkflow } from "../workflows/workflow";
import { latestByName } from "./progress";
import { placeOf, type Run } from "./run";
import { RunContents } from "./RunContents";
import { RunFacts } from "./RunFacts";
import { RunHead } from "./RunHead";
import styles from "./RunPage.module.css";
import { RunStepList } from "./RunStepList";
import { StepDetail } from "./StepDetail";
import { useRun } from "./useRun";

/** One run: how far it is, drawn and in words, and what each step was given and gave. */
export function RunPage({ id }: { id: string }) {
  const { run, isAway } = useRun(id);
  if (run.isPending) return <SkeletonRows />;
  if (run.isError && !run.data) return <ProblemNotice problem={run.error} onRetry={() => void run.refetch()} />;
  if (!run.data) return null;
  return <Shown run={run.data} isAway={isAway || run.isError} onMissing={() => void run.refetch()} />;
}

function Shown({ run, isAway, onMissing }: { run: Run; isAway: boolean; onMissing: () => void }) {
  const t = useText();
  const graph = useGraph(run);
  const states = useMemo(() => latestByName(run.steps), [run.steps]);
  const [filters, change] = useFilters();
  const place = placeOf(run, filters.step);
  const chosen = run.steps[place];
  // Of a failed run "0" is none: without a word it opens at what failed.
  const choose = (index: number) => change({ step: index !== place ? String(index + 1) : run.state === "failed" ? "0" : "" });
  const detail = chosen && <StepDetail key={place} run={run} step={chosen} onMissing={onMissing} onClose={() => choose(place)} />;
  const hasFailed = chosen?.state === "failed";
  return (
    <>
      <RunHead run={run} />
      {isAway && (
        <p role="status" className={styles.away}>
          {t("state.offline")}
        </p>
      )}
      <RunFacts run={run} isExplained={hasFailed} onStep={(name) => choose(run.steps.findLastIndex((step) => step.name === name))} />
      {hasFailed && detail}
      <div className={styles.split}>
        <StepGraph
          graph={graph}
          states={states}
          selected={chosen?.name ?? null}
          onSelect={(name) => choose(run.steps.findLastIndex((step) => step.name === name))}
        />
        <div>
          <RunStepList run={run} chosen={place} onChoose={choose} />
          {!hasFailed && detail}
        </div>
      </div>
      <RunContents run={run} />
    </>
  );
}

/** The graph of the version that ran, or of one that is gone the steps that were taken; null before it is known which. */
function useGraph(run: Run): SpecGraph | null {
  const { slug, version } = run.workflow;
  const workflow = useWorkflow(slug, version);
  const names = run.steps.map(({ name, kind }) => `${kind} ${name}`).join("\n");
  return useMemo(() => {
    if (workflow.data) return graphOf(workflow.data.spec);
    if (workflow.isPending) return null;
    const taken = [...new Set(names.split("\n").filter(Boolean))].map((line) => line.split(" ") as [string, string]);
    return graphOf({ steps: taken.map(([kind, name]) => ({ kind, name })) });
  }, [workflow.data, workflow.isPending, names]);
}
