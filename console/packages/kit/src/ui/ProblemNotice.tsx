import { TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { Link } from "wouter";

import { Problem, type FieldFault } from "../api/problem";
import { useTexts } from "../i18n/texts";
import { useHolds } from "../session/identity";
import { Button } from "./Button";
import { CopyButton } from "./CopyButton";
import { faultWords, placeWords } from "./faultWords";
import { useToldFaults } from "./Form";
import { liftOf } from "./gates";
import { quotaWords } from "./quotaWords";
import styles from "./ProblemNotice.module.css";
import { Why } from "./Why";

/** What happened, which gate it was, what would lift it and who can: beside what failed; nothing where fields tell it all. */
export function ProblemNotice({ problem, onRetry }: { problem: unknown; onRetry?: () => void }) {
  const { t } = useTexts();
  const words = useProblemWords(problem);
  const known = problem instanceof Problem ? problem : null;
  const wait = useWait(known);
  const faults = untold(known?.faults ?? [], useToldFaults());
  if (known?.faults.length && faults.length === 0) return null;
  return (
    <div role="alert" className={styles.notice}>
      <TriangleAlert size={16} className={styles.icon} aria-hidden="true" />
      <div className={styles.words}>
        <p>{words}</p>
        {known && <Remedy problem={known} />}
        {faults.length > 0 && (
          <ul className={styles.faults}>
            {faults.map(({ pointer, message }) => (
              <li key={pointer}>{faultWords(t, placeWords(pointer), message)}</li>
            ))}
          </ul>
        )}
        {typeof known?.body.why === "string" && <Why address={known.body.why} />}
        {known && <Details problem={known} />}
      </div>
      {onRetry && (
        <Button onPress={onRetry} isDisabled={wait > 0}>
          {wait > 0 ? t("error.retry_in", { seconds: wait }) : t("action.retry")}
        </Button>
      )}
    </div>
  );
}

/** The faults that no field tells, each once. */
function untold(faults: readonly FieldFault[], told: readonly string[]): FieldFault[] {
  const left = [...told];
  return faults.filter(({ message }) => {
    const at = left.indexOf(message);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** What whoever looks into it wants to know: the request's id, and the names that programs use. */
function Details({ problem }: { problem: Problem }) {
  const { t } = useTexts();
  if (!problem.requestId) return null;
  const { rule, who } = problem.body;
  const names = [problem.code, ...(typeof rule === "string" && rule !== problem.code ? [rule] : []), ...problem.faults.map(({ pointer }) => pointer)];
  return (
    <details className={styles.details}>
      <summary>{t("error.details")}</summary>
      <p className={styles.id}>
        {t("error.request_id", { id: problem.requestId })}
        <CopyButton text={problem.requestId} name={t("error.request_id", { id: problem.requestId })} />
      </p>
      <p>{names.filter(Boolean).join(" · ")}</p>
      {typeof who === "string" && <p>{who}</p>}
    </details>
  );
}

/** What would lift the gate and who can; with the way there for those who may. */
function Remedy({ problem }: { problem: Problem }) {
  const { t } = useTexts();
  const holds = useHolds();
  const lift = liftOf(problem);
  if (!lift) return null;
  const mayGo = lift.path && (!lift.needs || holds(lift.needs));
  return (
    <p className={styles.remedy}>
      {t(lift.text)}
      {mayGo && lift.path && <Link href={lift.path}>{t("action.open")}</Link>}
    </p>
  );
}

/** Longer than this nobody waits for a button: a limit may be lifted before its period ends. */
const LONGEST_WAIT = 120;

/** The seconds until the server wants to be asked again, counting down. */
function useWait(problem: Problem | null): number {
  const wanted = problem?.retryAfter ?? 0;
  const seconds = wanted > LONGEST_WAIT ? 0 : wanted;
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    setLeft(seconds);
    if (seconds === 0) return;
    const timer = setInterval(() => setLeft((before) => Math.max(0, before - 1)), 1_000);
    return () => clearInterval(timer);
  }, [problem, seconds]);
  return left;
}

/** A refusal in the reader's language where its code is known, else in the server's words. */
export function useProblemWords(problem: unknown): string {
  const { t, has, locale } = useTexts();
  if (!(problem instanceof Problem)) return t("error.internal");
  // What a plugin refuses in words of its own names no field: those words are all there is to say.
  if (problem.code === "invalid_request" && problem.faults.length === 0 && problem.message) return problem.message;
  const key = `error.${problem.code === "unreachable" ? "network" : problem.code}`;
  const values = Object.fromEntries(
    Object.entries(problem.body).filter(([, value]) => typeof value === "string" || typeof value === "number"),
  ) as Record<string, string | number>;
  if (problem.code === "quota_exceeded") Object.assign(values, quotaWords(values, t, locale));
  const seconds: Record<string, number> = problem.retryAfter === null ? {} : { seconds: problem.retryAfter };
  if (has(key)) {
    try {
      return t(key, { ...values, ...seconds });
    } catch {
      // The text wants something that this refusal does not say.
    }
  }
  return problem.message || t("error.internal");
}
