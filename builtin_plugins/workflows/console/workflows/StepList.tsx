import { useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { CodeBlock } from "@guildhall/console/ui/CodeBlock";
import { KindIcon } from "./KindIcon";
import { useKindWords } from "./kindWords";
import type { SpecGraph, SpecStep } from "./spec";
import styles from "./StepList.module.css";

/** The steps of a workflow in words, in their order: the drawing for those who do not see it. */
export function StepList({ graph }: { graph: SpecGraph }) {
  const t = useText();
  return (
    <ol className={styles.steps} aria-label={t("workflows.steps_label")}>
      {graph.steps.map((step) => (
        <li key={step.name} id={`step-${step.name}`}>
          <Step step={step} next={whatFollows(step, graph, t)} />
        </li>
      ))}
    </ol>
  );
}

function Step({ step, next }: { step: SpecStep; next: string }) {
  const t = useText();
  const words = useKindWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.step} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={styles.summary}>
        <KindIcon kind={step.kind} />
        <span className={styles.name}>{step.name}</span>
        <span className={styles.what}>
          {words(step.kind)}
          {step.tool && (
            <>
              {" · "}
              <code>{step.tool}</code>
            </>
          )}
        </span>
        <span className={styles.next}>{next}</span>
      </summary>
      {isOpen && <CodeBlock text={JSON.stringify(step.raw, null, 2)} name={t("runs.step", { name: step.name })} />}
    </details>
  );
}

function whatFollows(step: SpecStep, graph: SpecGraph, t: ReturnType<typeof useText>): string {
  const branches = graph.edges.filter(({ from }) => from === step.name);
  if (branches.length === 0) return t("workflows.ends");
  return branches
    .map(({ to, way }) => (way ? t(`workflows.goes_${way}`, { step: to }) : t("workflows.goes", { step: to })))
    .join(", ");
}
