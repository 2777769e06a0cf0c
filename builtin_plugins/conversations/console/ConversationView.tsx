import { ArrowDown } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import type { Source } from "@guildhall/console/ui/ask";
import { Button } from "@guildhall/console/ui/Button";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { ArtifactPanel } from "./ArtifactPanel";
import type { Artifact } from "./artifacts";
import { Composer, type ComposerHandle } from "./Composer";
import type { Attachment, Question, Turn } from "./conversation";
import styles from "./ConversationView.module.css";
import { Exchange } from "./Exchange";
import { ModelNote } from "./ModelNote";
import { beginWith, type OpenConversation, type Shown } from "./openConversation";
import { useStickToEnd } from "./useStickToEnd";

export interface ConversationViewProps {
  id: string | null;
  open: OpenConversation | null;
  shown: Shown;
  mayUseTools: boolean;
  /** A document that a link brought along. */
  attached: Attachment | null;
  /** What a link asks about. */
  about: Source | null;
  onBegun: (id: string) => void;
}

/** One conversation: what was said, and where one writes. */
export function ConversationView({ id, open, shown, mayUseTools, attached, about, onBegun }: ConversationViewProps) {
  const t = useText();
  const { scroller, content, isAway, toEnd } = useStickToEnd();
  const composer = useRef<ComposerHandle>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [isSending, setSending] = useState(false);
  /** The question that is asked in other words: what is sent next takes its place. */
  const [edited, setEdited] = useState<Turn | null>(null);
  const [artifact, setArtifact] = useState<Artifact | null>(null);
  const { turns, head, earlier } = shown;
  const last = turns.at(-1);
  const live = last && open?.live(last.id);
  const mayWrite = head === null || head.permissions.includes("edit");
  const isAnswering = last?.state === "answering";
  useEffect(toEnd, [toEnd]);

  const attempt = useCallback(async (work: () => Promise<unknown> | undefined) => {
    setProblem(null);
    try {
      await work();
    } catch (cause) {
      setProblem(cause);
      return false;
    }
    return true;
  }, []);

  async function ask(question: Question) {
    setSending(true);
    const isAsked = await attempt(async () => {
      if (open) await open.ask(question, edited ? edited.parentId : undefined);
      else onBegun(await beginWith(question));
    });
    setSending(false);
    if (!isAsked) return composer.current?.restore(question);
    setEdited(null);
    toEnd();
  }
  const retry = useCallback((turn: Turn) => void attempt(() => open?.regenerate(turn.id)), [attempt, open]);
  const edit = useCallback((turn: Turn) => {
    setEdited(turn);
    composer.current?.restore(turn);
  }, []);
  const show = useCallback((messageId: string) => void attempt(() => open?.show(messageId)), [attempt, open]);
  const decide = useCallback(
    (turn: Turn, number: number, decision: "once" | "always" | "deny") => void attempt(() => open?.decide(turn.id, number, decision)),
    [attempt, open],
  );
  const goOn = useCallback((turn: Turn) => void attempt(() => open?.ask({ ...turn, attachments: [], prompt: t("chat.continue_prompt") })), [attempt, open, t]);
  const stop = () => last && void attempt(() => open?.stop(last.id));
  return (
    <div className={styles.beside}>
      <div
        className={styles.view}
        onKeyDown={(event) => {
          if (event.key === "Escape" && isAnswering && !event.defaultPrevented) stop();
        }}
      >
        <div ref={scroller} className={styles.scroller} role="log" aria-live="off" aria-label={head?.title || t("chat.new")} tabIndex={0}>
          <div ref={content} className={styles.column}>
            <ModelNote isNew={id === null} />
            {earlier !== null && (
              <p className={styles.earlier}>
                <Button onPress={() => void attempt(() => open?.showEarlier())}>{t("chat.earlier")}</Button>
              </p>
            )}
            {turns.map((turn) => {
              const isLast = turn === last;
              return (
                <Exchange
                  key={turn.questionId ?? turn.id}
                  turn={turn}
                  live={isLast ? live : undefined}
                  canAct={mayWrite && turn.state !== "answering"}
                  isLast={isLast}
                  onRetry={retry}
                  onEdit={edit}
                  onContinue={goOn}
                  onShow={show}
                  onDecide={decide}
                  onArtifact={setArtifact}
                />
              );
            })}
          </div>
        </div>
        <div className={styles.foot}>
          {isAway && (
            <span className={styles.end}>
              <Button onPress={toEnd}>
                <ArrowDown size={16} aria-hidden="true" />
                {t("chat.to_end")}
              </Button>
            </span>
          )}
          {problem !== null && <ProblemNotice problem={problem} />}
          {edited && (
            <p className={styles.note}>
              {t("chat.editing")}{" "}
              <Button kind="quiet" onPress={() => setEdited(null)}>
                {t("action.cancel")}
              </Button>
            </p>
          )}
          {mayWrite ? (
            <Composer
              // What was asked last is known once the conversation is here.
              key={head ? "open" : "new"}
              ref={composer}
              thing={`chat.${id ?? "new"}`}
              isAnswering={isAnswering || isSending}
              mayUseTools={mayUseTools}
              attached={attached}
              about={about}
              last={last}
              onAsk={(question) => void ask(question)}
              onStop={stop}
            />
          ) : (
            <p className={styles.note}>{t("chat.read_only")}</p>
          )}
        </div>
      </div>
      {artifact && <ArtifactPanel artifact={artifact} onClose={() => setArtifact(null)} />}
    </div>
  );
}
