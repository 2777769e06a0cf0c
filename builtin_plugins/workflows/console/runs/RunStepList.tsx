import { useText } from "@guildhall/console/i18n/texts";
import { ProgressBar } from "@guildhall/console/ui/ProgressBar";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { KindIcon } from "../workflows/KindIcon";
import type { Run, RunStep } from "./run";
import styles from "./RunStepList.module.css";
import { Took } from "./Took";

const MOST = 500;

/** The steps that a run has taken, in words: what the drawing shows, for everybody. */
export function RunStepList({ run, chosen, onChoose }: { run: Run; chosen: number; onChoose: (index: number) => void }) {
  const t = useText();
  if (run.steps.length === 0) return <p className={styles.none}>{t("runs.no_steps")}</p>;
  const from = Math.max(0, run.steps.length - MOST);
  return (
    <ol className={styles.steps} aria-label={t("runs.steps_label")} start={from + 1}>
      {run.steps.slice(from).map((step, place) => (
        <li key={from + place}>
          <button type="button" className={styles.step} aria-expanded={from + place === chosen} onClick={() => onChoose(from + place)}>
            <KindIcon kind={step.kind} />
            <span className={styles.name}>{step.name}</span>
            <StepMeta step={step} />
            <StateMark state={step.state} />
          </button>
          {step.items && step.items.total > 0 && <Items items={step.items} />}
        </li>
      ))}
    </ol>
  );
}

function StepMeta({ step }: { step: RunStep }) {
  const t = useText();
  return (
    <span className={styles.meta}>
      {step.attempt > 1 && <span>{t("runs.attempt", { attempt: step.attempt })}</span>}
      {step.kind !== "choice" && <Took from={step.started_at} until={step.finished_at} />}
    </span>
  );
}

function Items({ items: { total, done, failed } }: { items: NonNullable<RunStep["items"]> }) {
  const t = useText();
  const words = t("runs.items_done", { done, total });
  return (
    <div className={styles.items}>
      <ProgressBar label={failed > 0 ? `${words} · ${t("runs.items_failed", { failed })}` : words} value={done / total} />
    </div>
  );
}
