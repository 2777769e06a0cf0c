import { useMemo } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { useTexts } from "@guildhall/console/i18n/texts";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { relativeTime } from "@guildhall/console/ui/Time";
import { faultyAttachment, type Turn } from "./conversation";
import styles from "./Exchange.module.css";

/** Why there is no answer: which gate it was, which document, and when there is room again. */
export function TurnProblem({ turn, onRetry }: { turn: Turn; onRetry?: () => void }) {
  const { t, locale } = useTexts();
  const problem = useMemo(() => problemOfTurn(turn), [turn]);
  if (!problem) return null;
  const now = new Date();
  const again = new Date(new Date(turn.at).getTime() + (problem.retryAfter ?? 0) * 1000);
  return (
    <div className={styles.problem}>
      <ProblemNotice problem={problem} {...(onRetry && { onRetry })} />
      {problem.code === "quota_exceeded" && again > now && (
        <p className={styles.why}>{t("error.quota_resets", { when: relativeTime(again, now, locale, "long") })}</p>
      )}
    </div>
  );
}

/** The refusal as it was kept; a fault names the document that it is about. */
function problemOfTurn(turn: Turn): Problem | null {
  if (!turn.problem) return null;
  const { body, retryAfter } = turn.problem;
  const named = body.errors?.map(({ pointer, message }) => ({
    pointer: faultyAttachment(turn, pointer)?.name ?? pointer,
    message,
  }));
  return new Problem({ ...body, ...(named && { errors: named }) }, retryAfter);
}
