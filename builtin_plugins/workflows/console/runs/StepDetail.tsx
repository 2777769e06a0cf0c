import { X } from "lucide-react";
import { useEffect } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Panel } from "@guildhall/console/ui/Panel";
import { Failure } from "./Failure";
import { hasContents, noOutput, type Run, type RunStep } from "./run";
import { Value } from "@guildhall/console/ui/Value";
import styles from "./StepDetail.module.css";

const WITHOUT_INPUT: ReadonlySet<string> = new Set(["choice", "parallel"]);

export interface StepDetailProps {
  run: Run;
  step: RunStep;
  /** Asks for the run itself: the events of a step do not have its input. */
  onMissing: () => void;
  onClose: () => void;
}

/** What a step was given, what it gave, and what went wrong. */
export function StepDetail({ run, step, onMissing, onClose }: StepDetailProps) {
  const t = useText();
  const isShown = hasContents(run);
  const isMissing = isShown && run.state === "running" && step.input === null && !WITHOUT_INPUT.has(step.kind);
  useEffect(() => {
    if (isMissing) onMissing();
    // Once, when it is opened.
  }, []);
  const close = (
    <Button kind="quiet" aria-label={t("action.close")} onPress={onClose}>
      <X size={16} />
    </Button>
  );
  return (
    <Panel title={t("runs.step", { name: step.name })} actions={close}>
      {step.error && <Failure error={step.error} slug={run.workflow.slug} />}
      {!isShown ? (
        <p className={styles.hidden}>{t("runs.hidden")}</p>
      ) : step.kind === "choice" ? (
        <p className={styles.hidden}>{t("runs.choice")}</p>
      ) : (
        <div className={styles.values}>
          <Value title={t("workflows.input")} value={step.input} none={t(isMissing ? "runs.not_yet" : "runs.not_shown")} />
          <Value title={t("workflows.output")} value={step.output} none={t(noOutput(step.state))} />
        </div>
      )}
    </Panel>
  );
}
