import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { useDirection } from "./languages";
import { ifMatch, type Message } from "./messages";
import { MessageHistory, useHistory } from "./MessageHistory";
import { MessagePreview } from "./MessagePreview";
import { SourceText } from "./SourceText";
import { StatusMark } from "./StatusMark";
import { WordDifference } from "./WordDifference";
import styles from "./Localize.module.css";

export interface ReviewingProps {
  message: Message;
  next: Message | undefined;
  onDecided: () => Promise<void>;
  onGo: (to: Message | undefined) => void;
}

/** One translation to approve or return: what is served now against what is proposed. */
export function Reviewing({ message, next, onDecided, onGo }: ReviewingProps) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const { user } = useIdentity();
  const dir = useDirection()(message.locale);
  const [comment, setComment] = useState("");
  const isOwn = message.submitted_by === user.id;
  const author = useHistory(message.id, true)
    .data?.pages.flatMap((page) => page.items)
    .find((event) => event.action === "submitted")?.by?.name;
  const approve = useRef<HTMLDivElement>(null);
  useEffect(() => approve.current?.querySelector("button")?.focus(), []);
  const review = useMutation({
    mutationFn: (action: "approve" | "return") =>
      dataOf(
        api.POST("/api/l10n/review/{id}", {
          params: { path: { id: message.id } },
          body: { action, ...(comment.trim() && { comment: comment.trim() }) },
          headers: ifMatch(message),
        }),
      ),
    onSuccess: async (changed) => {
      announce(t(changed.status === "approved" ? "l10n.approved_now" : "l10n.returned_now", { key: message.key }));
      await onDecided();
    },
    // Somebody changed or decided it meanwhile: what stands there now is what one decides on next.
    onError: (cause) => {
      if (cause instanceof Problem && cause.status < 500 && cause.status >= 404) void client.invalidateQueries({ queryKey: ["l10n"] });
    },
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      if (!isOwn && !review.isPending) review.mutate(event.shiftKey ? "return" : "approve");
    } else if (event.altKey && event.key === "ArrowDown") next && onGo(next);
    else if (event.key === "Escape") onGo(undefined);
    else return;
    event.preventDefault();
  };
  const proposed = message.text ?? "";
  return (
    <section className={styles.pane} aria-label={message.key} onKeyDown={onKeyDown}>
      <div className={styles.head}>
        <code className={styles.key}>{message.key}</code>
        <StatusMark status={message.status} />
        <Button kind="quiet" onPress={() => onGo(undefined)}>
          {t("action.close")}
        </Button>
      </div>
      <SourceText message={message} />
      <div className={styles.source}>
        <h2 className={styles.label}>{author ? t("l10n.proposed_by", { name: author }) : t("l10n.proposed")}</h2>
        <p className={styles.message} lang={message.locale} dir={dir}>
          {proposed}
        </p>
        {message.approved_text !== null && message.approved_text !== proposed ? (
          <>
            <h3 className={styles.label}>{t("l10n.against_served")}</h3>
            <WordDifference before={message.approved_text} after={proposed} lang={message.locale} dir={dir} />
          </>
        ) : (
          <p className={styles.muted}>{message.approved_text === null ? t("l10n.served_none") : t("l10n.served_same")}</p>
        )}
      </div>
      {message.problem && <p className={styles.notice}>{message.problem}</p>}
      {review.isError && <ProblemNotice problem={review.error} />}
      {isOwn ? (
        <p className={styles.notice}>{t("l10n.own_translation")}</p>
      ) : (
        <>
          <TextField label={t("l10n.comment")} help={t("form.optional")} value={comment} onChange={setComment} rows={2} />
          <div className={styles.actions} ref={approve}>
            <Button kind="primary" isPending={review.isPending} onPress={() => review.mutate("approve")}>
              {t("action.approve")} <kbd>Ctrl ↵</kbd>
            </Button>
            <Button isPending={review.isPending} onPress={() => review.mutate("return")}>
              {t("l10n.return")} <kbd>Ctrl ⇧ ↵</kbd>
            </Button>
            <Button kind="quiet" isDisabled={!next} onPress={() => onGo(next)}>
              {t("l10n.skip")} <kbd>Alt ↓</kbd>
            </Button>
          </div>
        </>
      )}
      <MessagePreview message={message} text={proposed} />
      <MessageHistory message={message} />
    </section>
  );
}
