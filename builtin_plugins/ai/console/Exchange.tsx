import { Pencil, RotateCcw } from "lucide-react";
import { memo, useState, useSyncExternalStore } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { CodeBlock } from "@guildhall/console/ui/CodeBlock";
import { CopyButton } from "@guildhall/console/ui/CopyButton";
import { Markdown } from "@guildhall/console/ui/Markdown";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Answer, GrowingAnswer } from "./Answer";
import { AttachmentChips } from "./AttachmentChips";
import { answerOf, type Turn } from "./conversation";
import styles from "./Exchange.module.css";
import type { LiveAnswer } from "./liveAnswer";
import { TurnProblem } from "./TurnProblem";

const LONG_QUESTION = 2_000;

export interface ExchangeProps {
  turn: Turn;
  /** There while its answer comes. */
  live?: LiveAnswer | undefined;
  /** What can be done with the last one. */
  onRetry?: (() => void) | undefined;
  onEdit?: (() => void) | undefined;
  onContinue?: (() => void) | undefined;
}

/** A question and what came of it. */
export const Exchange = memo(function Exchange({ turn, live, onRetry, onEdit, onContinue }: ExchangeProps) {
  const t = useText();
  const isJson = turn.settings?.format === "json" && turn.tools === "none" && answerOf(turn) !== "";
  return (
    <article className={styles.exchange}>
      <section className={styles.question} aria-label={t("chat.question")}>
        {turn.attachments.length > 0 && <AttachmentChips attachments={turn.attachments} />}
        <QuestionWords text={turn.prompt} />
      </section>
      <section className={styles.answer} aria-label={t("chat.answer")} aria-busy={Boolean(live)}>
        {turn.reasoning && <Reasoning text={turn.reasoning} />}
        {live ? <GrowingAnswer live={live} /> : isJson ? <CodeBlock text={answerOf(turn)} name={t("chat.answer")} /> : <Answer parts={turn.parts} />}
        {live ? (
          <p className={styles.thinking} role="status">
            <LiveState live={live} />
          </p>
        ) : (
          <>
            <TurnProblem turn={turn} {...(onRetry && { onRetry })} />
            <Foot turn={turn} onRetry={onRetry} onEdit={onEdit} onContinue={onContinue} />
          </>
        )}
      </section>
    </article>
  );
});

function LiveState({ live }: { live: LiveAnswer }) {
  const t = useText();
  const isReading = useSyncExternalStore(live.subscribe, () => live.isReading);
  return <StateMark state="running" text={t(isReading ? "chat.reading" : "chat.thinking")} />;
}

function QuestionWords({ text }: { text: string }) {
  const t = useText();
  const [isWhole, setWhole] = useState(text.length <= LONG_QUESTION);
  return (
    <>
      <p className={styles.words} dir="auto">
        {isWhole ? text : `${text.slice(0, LONG_QUESTION)}…`}
      </p>
      {!isWhole && (
        <Button kind="quiet" onPress={() => setWhole(true)}>
          {t("action.show_more")}
        </Button>
      )}
    </>
  );
}

function Reasoning({ text }: { text: string }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.reasoning} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("chat.reasoning")}</summary>
      {isOpen && (
        <div>
          <Markdown text={text} />
        </div>
      )}
    </details>
  );
}

function Foot({ turn, onRetry, onEdit, onContinue }: Omit<ExchangeProps, "live">) {
  const t = useText();
  const answer = answerOf(turn);
  const { usage } = turn;
  return (
    <div className={styles.foot}>
      {turn.state === "answering" && <StateMark state="running" text={t("chat.elsewhere")} />}
      {turn.state === "stopped" && <StateMark state="cancelled" text={t("chat.stopped")} />}
      {turn.limit && <span>{t(`chat.limit_${turn.limit}`)}</span>}
      {turn.model && <span>{turn.model}</span>}
      {usage && (
        <span title={t("chat.usage_detail", { prompt: usage.prompt_tokens, completion: usage.completion_tokens })}>
          {t(usage.estimated ? "chat.estimated_tokens" : "chat.tokens", { count: usage.total_tokens })}
        </span>
      )}
      {answer && <CopyButton text={answer} name={t("chat.answer")} />}
      {turn.limit === "length" && onContinue && <Button onPress={onContinue}>{t("chat.continue")}</Button>}
      {onRetry && turn.state !== "failed" && (
        <Button kind="quiet" aria-label={t("chat.retry")} onPress={onRetry}>
          <RotateCcw size={16} />
        </Button>
      )}
      {onEdit && turn.state !== "done" && (
        <Button kind="quiet" onPress={onEdit}>
          <Pencil size={16} aria-hidden="true" />
          {t("chat.edit")}
        </Button>
      )}
    </div>
  );
}
