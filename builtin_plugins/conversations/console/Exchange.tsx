import { ChevronLeft, ChevronRight, Pencil, RotateCcw } from "lucide-react";
import { memo, useMemo, useState, useSyncExternalStore } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { CodeBlock } from "@guildhall/console/ui/CodeBlock";
import { CopyButton } from "@guildhall/console/ui/CopyButton";
import { Markdown } from "@guildhall/console/ui/Markdown";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Answer, GrowingAnswer } from "./Answer";
import { ArtifactButtons } from "./ArtifactPanel";
import { artifactsOf, type Artifact } from "./artifacts";
import { AttachmentChips } from "./AttachmentChips";
import { Citations } from "./Citations";
import { answerOf, type Turn } from "./conversation";
import styles from "./Exchange.module.css";
import type { LiveAnswer } from "./liveAnswer";
import { ToolDecision, type Decide } from "./ToolDecision";
import { TurnProblem } from "./TurnProblem";

const LONG_QUESTION = 2_000;
const NONE: readonly Artifact[] = [];
const STATUS: Record<string, string> = { reading: "chat.reading", searching: "chat.searching", busy: "chat.busy" };

export interface ExchangeProps {
  turn: Turn;
  /** There while its answer comes. */
  live?: LiveAnswer | undefined;
  canAct: boolean;
  isLast: boolean;
  onRetry: (turn: Turn) => void;
  onEdit: (turn: Turn) => void;
  onContinue: (turn: Turn) => void;
  /** Shows the branch of another message. */
  onShow: (messageId: string) => void;
  onDecide: (turn: Turn, number: number, decision: Decide) => void;
  /** Shows something that the answer made beside it. */
  onArtifact: (artifact: Artifact) => void;
}

/** A question and what came of it. */
export const Exchange = memo(function Exchange({ turn, live, canAct, isLast, onRetry, onEdit, onContinue, onShow, onDecide, onArtifact }: ExchangeProps) {
  const t = useText();
  const artifacts = useMemo(() => (live ? NONE : artifactsOf(answerOf(turn))), [turn, live]);
  const isJson = turn.settings.format === "json" && turn.tools === "none" && answerOf(turn) !== "";
  return (
    <article className={styles.exchange}>
      {turn.questionId !== null && (
        <section className={styles.question} aria-label={t("chat.question")}>
          {turn.attachments.length > 0 && <AttachmentChips attachments={turn.attachments} />}
          <QuestionWords text={turn.prompt} />
          <span className={styles.acts}>
            <Branches of={turn.questionId} siblings={turn.questionSiblings} name={t("chat.question")} onShow={onShow} />
            {canAct && (turn.state === "done" || !isLast) && (
              <Button kind="quiet" aria-label={t("chat.edit")} onPress={() => onEdit(turn)}>
                <Pencil size={14} />
              </Button>
            )}
          </span>
        </section>
      )}
      <section className={styles.answer} aria-label={t("chat.answer")} aria-busy={Boolean(live)}>
        {turn.reasoning && <Reasoning text={turn.reasoning} />}
        {live ? <GrowingAnswer live={live} /> : isJson ? <CodeBlock text={answerOf(turn)} name={t("chat.answer")} /> : <Answer parts={turn.parts} />}
        {live ? (
          <p className={styles.thinking} role="status">
            <LiveState live={live} />
          </p>
        ) : (
          <>
            <Citations citations={turn.citations} />
            <ArtifactButtons artifacts={artifacts} onOpen={onArtifact} />
            {turn.state === "waiting" && <ToolDecision turn={turn} onDecide={onDecide} />}
            <TurnProblem turn={turn} {...(canAct && { onRetry: () => onRetry(turn) })} />
            <Foot turn={turn} canAct={canAct} isLast={isLast} onRetry={onRetry} onEdit={onEdit} onContinue={onContinue} onShow={onShow} />
          </>
        )}
      </section>
    </article>
  );
});

/** Which of several messages at one place is shown, and the way to the others. */
function Branches({ of, siblings, name, onShow }: { of: string; siblings: readonly string[]; name: string; onShow: (id: string) => void }) {
  const t = useText();
  const at = siblings.indexOf(of);
  if (siblings.length < 2 || at < 0) return null;
  const step = (by: number) => onShow(siblings[at + by]!);
  return (
    <span className={styles.branches}>
      <Button kind="quiet" aria-label={`${t("chat.branch_before")}: ${name}`} isDisabled={at === 0} onPress={() => step(-1)}>
        <ChevronLeft size={14} />
      </Button>
      <span>{t("chat.branch", { at: at + 1, count: siblings.length })}</span>
      <Button kind="quiet" aria-label={`${t("chat.branch_after")}: ${name}`} isDisabled={at === siblings.length - 1} onPress={() => step(1)}>
        <ChevronRight size={14} />
      </Button>
    </span>
  );
}

function LiveState({ live }: { live: LiveAnswer }) {
  const t = useText();
  const status = useSyncExternalStore(live.subscribe, () => live.status);
  return <StateMark state="running" text={t(STATUS[status ?? ""] ?? "chat.thinking")} />;
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

type FootProps = Pick<ExchangeProps, "turn" | "canAct" | "isLast" | "onRetry" | "onEdit" | "onContinue" | "onShow">;

function Foot({ turn, canAct, isLast, onRetry, onEdit, onContinue, onShow }: FootProps) {
  const t = useText();
  const answer = answerOf(turn);
  const { usage } = turn;
  return (
    <div className={styles.foot}>
      <Branches of={turn.id} siblings={turn.answerSiblings} name={t("chat.answer")} onShow={onShow} />
      {turn.state === "stopped" && <StateMark state="cancelled" text={t("chat.stopped")} />}
      {turn.limit && <span>{t(`chat.limit_${turn.limit}`)}</span>}
      {turn.modelName && <span>{turn.modelName}</span>}
      {usage && (
        <span title={t("chat.usage_detail", { prompt: usage.prompt_tokens, completion: usage.completion_tokens })}>
          {t(usage.estimated ? "chat.estimated_tokens" : "chat.tokens", { count: usage.total_tokens })}
        </span>
      )}
      {answer && <CopyButton text={answer} name={t("chat.answer")} />}
      {canAct && isLast && turn.limit === "length" && <Button onPress={() => onContinue(turn)}>{t("chat.continue")}</Button>}
      {canAct && turn.state !== "failed" && turn.state !== "waiting" && turn.questionId !== null && (
        <Button kind="quiet" aria-label={t("chat.retry")} onPress={() => onRetry(turn)}>
          <RotateCcw size={16} />
        </Button>
      )}
      {canAct && isLast && turn.state !== "done" && (
        <Button kind="quiet" onPress={() => onEdit(turn)}>
          <Pencil size={16} aria-hidden="true" />
          {t("chat.edit")}
        </Button>
      )}
    </div>
  );
}
