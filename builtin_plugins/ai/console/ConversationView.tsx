import { ArrowDown } from "lucide-react";
import { useCallback, useEffect, useRef } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Composer, type ComposerHandle, type Question } from "./Composer";
import { historyBefore, type Attachment, type Conversation } from "./conversation";
import type { ConversationStore } from "./conversations";
import styles from "./ConversationView.module.css";
import { Exchange } from "./Exchange";
import { ModelNote } from "./ModelNote";
import { useStickToEnd } from "./useStickToEnd";

export interface ConversationViewProps {
  store: ConversationStore;
  conversation: Conversation | null;
  mayUseTools: boolean;
  /** A document that a link brought along. */
  attached: Attachment | null;
  onAsked: (id: string) => void;
}

/** One conversation: what was said, and where one writes. */
export function ConversationView({ store, conversation, mayUseTools, attached, onAsked }: ConversationViewProps) {
  const t = useText();
  const { scroller, content, isAway, toEnd } = useStickToEnd();
  const composer = useRef<ComposerHandle>(null);
  const id = conversation?.id ?? null;
  const turns = conversation?.turns ?? [];
  const live = id === null ? undefined : store.live(id);
  const leftOut = conversation && turns.length > 1 ? historyBefore(turns, turns.at(-1)?.id ?? "").leftOut : 0;
  useEffect(toEnd, [toEnd]);

  function ask(question: Question) {
    onAsked(store.ask(id, question));
    toEnd();
  }
  const retry = useCallback(() => {
    if (id !== null) store.retry(id);
  }, [store, id]);
  const edit = useCallback(() => {
    const taken = id === null ? undefined : store.takeBack(id);
    if (taken) composer.current?.restore(taken);
  }, [store, id]);
  function goOn() {
    const last = turns.at(-1);
    if (!last) return;
    const { attachments, tools, executor, settings } = last;
    ask({ prompt: t("chat.continue_prompt"), attachments, tools, executor, ...(settings && { settings }) });
  }
  const stop = () => id !== null && store.stop(id);
  return (
    <div
      className={styles.view}
      onKeyDown={(event) => {
        if (event.key === "Escape" && live && !event.defaultPrevented) stop();
      }}
    >
      <div ref={scroller} className={styles.scroller} role="log" aria-live="off" aria-label={conversation?.title ?? t("chat.new")} tabIndex={0}>
        <div ref={content} className={styles.column}>
          <ModelNote isNew={turns.length === 0} />
          {turns.map((turn, index) => {
            const isLast = index === turns.length - 1;
            const canAct = isLast && !live && turn.state !== "answering";
            return (
              <Exchange
                key={turn.id}
                turn={turn}
                live={isLast ? live : undefined}
                onRetry={canAct ? retry : undefined}
                onEdit={canAct ? edit : undefined}
                onContinue={canAct ? goOn : undefined}
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
        {leftOut > 0 && <p className={styles.note}>{t("chat.history_left_out", { count: leftOut })}</p>}
        {!store.isKept && <p className={styles.note}>{t("chat.not_kept")}</p>}
        <Composer
          ref={composer}
          thing={`chat.${id ?? "new"}`}
          isAnswering={Boolean(live)}
          mayUseTools={mayUseTools}
          attached={attached}
          last={turns.at(-1)}
          onAsk={ask}
          onStop={stop}
        />
      </div>
    </div>
  );
}
