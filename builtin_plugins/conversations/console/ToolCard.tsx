import { ChevronRight, FileText, Wrench } from "lucide-react";
import { memo, useId, useState, type MouseEvent } from "react";
import { Link } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { StateMark } from "@guildhall/console/ui/StateMark";
import type { Artifact, Step, StepState } from "./conversation";
import { shownValue } from "./shownValue";
import styles from "./ToolCard.module.css";

const SHORT = 4_000;
const MARKS: Record<StepState, string> = {
  queued: "queued",
  waiting: "queued",
  allowed: "queued",
  running: "running",
  done: "succeeded",
  failed: "failed",
  denied: "cancelled",
  stopped: "cancelled",
};

/** Those that somebody unfolded: they stay so when the answer around them is whole and drawn anew. */
const unfolded = new Set<string>();

/** A tool that was used: its name and how it ended; what it was given and gave, unfolded; what it made, to open. */
export const ToolCard = memo(function ToolCard({ step }: { step: Step }) {
  const t = useText();
  const [isOpen, setOpen] = useState(() => unfolded.has(step.id));
  // With the click itself: the browser's own event comes later, when the card may have been drawn anew.
  function toggle(event: MouseEvent) {
    event.preventDefault();
    setOpen(!isOpen);
    if (isOpen) unfolded.delete(step.id);
    else unfolded.add(step.id);
  }
  return (
    <div className={styles.card}>
      <details open={isOpen}>
        <summary className={styles.head} onClick={toggle}>
          <Wrench size={16} aria-hidden="true" />
          <span className={styles.name}>{t("chat.tool_called", { tool: step.tool })}</span>
          <StateMark state={MARKS[step.state]} />
          <ChevronRight size={16} className={styles.turn} aria-hidden="true" />
        </summary>
        {isOpen && (
          <div className={styles.inside}>
            <Value label={t("chat.arguments")} value={step.arguments} />
            {step.error ? (
              <p className={styles.fault}>{t("chat.tool_failed", { tool: step.tool, reason: shownValue(step.error.message) })}</p>
            ) : (
              <Value label={t("chat.result")} value={step.artifact ?? step.result} />
            )}
            {step.cut && <p className={styles.label}>{t("chat.result_cut")}</p>}
          </div>
        )}
      </details>
      {step.artifact && <ArtifactCard artifact={step.artifact} />}
    </div>
  );
});

/** What a tool made, which opens where it is kept. */
function ArtifactCard({ artifact }: { artifact: Artifact }) {
  const t = useText();
  const title = shownValue(artifact.title);
  const path = typeof artifact.object_id === "string" ? `/files/${encodeURIComponent(artifact.object_id)}` : null;
  return (
    <div className={styles.artifact}>
      <FileText size={16} aria-hidden="true" />
      <span className={styles.words}>
        {path ? (
          <Link href={path} className={styles.title} dir="auto">
            {title}
          </Link>
        ) : (
          <span className={styles.title} dir="auto">
            {title}
          </span>
        )}
        {typeof artifact.summary === "string" && (
          <span className={styles.summary} dir="auto">
            {shownValue(artifact.summary.slice(0, SHORT))}
          </span>
        )}
      </span>
      {path && (
        <Link href={path} aria-label={`${t("action.open")}: ${title}`}>
          {t("action.open")}
        </Link>
      )}
    </div>
  );
}

function Value({ label, value }: { label: string; value: unknown }) {
  const t = useText();
  const id = useId();
  const [isWhole, setWhole] = useState(false);
  const text = shownValue(value);
  return (
    <div>
      <span id={id} className={styles.label}>
        {label}
      </span>
      <pre className={styles.value} dir="ltr" tabIndex={0} role="region" aria-labelledby={id}>
        {isWhole ? text : text.slice(0, SHORT)}
      </pre>
      {!isWhole && text.length > SHORT && (
        <Button kind="quiet" onPress={() => setWhole(true)}>
          {t("action.show_more")}
        </Button>
      )}
    </div>
  );
}
