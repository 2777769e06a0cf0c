import { useMutation } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState, type KeyboardEvent } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity, useMay } from "@guildhall/console/session/identity";
import { dropDraft } from "@guildhall/console/drafts/store";
import { Button } from "@guildhall/console/ui/Button";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { Collision, collisionOf } from "./Collision";
import { useDirection } from "./languages";
import { ifMatch, type Message } from "./messages";
import { MessageHistory } from "./MessageHistory";
import { MessagePreview } from "./MessagePreview";
import { Placeholders } from "./Placeholders";
import { SourceText } from "./SourceText";
import { StatusMark } from "./StatusMark";
import { useDraftText } from "./useDraftText";
import styles from "./Localize.module.css";

export interface TranslatingProps {
  message: Message;
  previous: Message | undefined;
  next: Message | undefined;
  onChanged: (message: Message) => void;
  onGo: (to: Message | undefined) => void;
}

/** One message to translate, by the keyboard: Ctrl+Enter submits and goes on, Alt with an arrow moves. */
export function Translating({ message, previous, next, onChanged, onGo }: TranslatingProps) {
  const t = useText();
  const announce = useAnnounce();
  const { user } = useIdentity();
  const mayTranslate = useMay()("localization:translate");
  const dir = useDirection()(message.locale);
  const { text, setText, isKept, isOutdated, forget } = useDraftText(message);
  const [version, setVersion] = useState(message.version);
  const pane = useRef<HTMLElement>(null);
  const submit = useMutation({
    mutationFn: () =>
      dataOf(
        api.PUT("/api/l10n/messages/{id}", {
          params: { path: { id: message.id } },
          body: { text },
          headers: ifMatch({ version }),
        }),
      ),
    onSuccess: ({ warnings, ...changed }) => {
      dropDraft(user.id, `l10n.${message.id}`);
      onChanged(changed);
      const second = warnings.map((warning) => warning.message).join(" ");
      announce(second ? t("l10n.submitted_with_warnings", { key: message.key, warnings: second }) : t("l10n.submitted_now", { key: message.key }));
      onGo(next);
    },
  });
  const field = useCallback(() => pane.current?.querySelector<HTMLTextAreaElement>("textarea"), []);
  useEffect(() => {
    const area = field();
    area?.focus();
    area?.setSelectionRange(area.value.length, area.value.length);
  }, [field]);

  const isReady = text.trim() !== "" && !submit.isPending;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) isReady && mayTranslate && submit.mutate();
    else if (event.altKey && event.key === "ArrowDown") next && onGo(next);
    else if (event.altKey && event.key === "ArrowUp") previous && onGo(previous);
    else if (event.key === "Escape") onGo(undefined);
    else return;
    event.preventDefault();
  };
  const insert = (words: string) => {
    const area = field();
    const [from, to] = [area?.selectionStart ?? text.length, area?.selectionEnd ?? text.length];
    setText(text.slice(0, from) + words + text.slice(to));
    area?.focus();
  };
  const collision = collisionOf(submit.error);
  const fault = submit.error instanceof Problem && submit.error.status === 400 ? submit.error.message : undefined;
  return (
    <section ref={pane} className={styles.pane} aria-label={message.key} onKeyDown={onKeyDown}>
      <div className={styles.head}>
        <code className={styles.key}>{message.key}</code>
        <StatusMark status={message.status} />
        <Button kind="quiet" onPress={() => onGo(undefined)}>
          {t("action.close")}
        </Button>
      </div>
      <SourceText message={message} />
      {message.comment && (
        <p className={styles.notice}>
          {t("l10n.reviewer_says")} <q dir="auto">{message.comment}</q>
        </p>
      )}
      {message.problem && <p className={styles.notice}>{message.problem}</p>}
      {isKept && (
        <p className={styles.notice}>
          {isOutdated ? t("l10n.draft_outdated") : t("state.draft_kept")}{" "}
          <Button kind="quiet" onPress={forget}>
            {t("l10n.forget_draft")}
          </Button>
        </p>
      )}
      {collision && (
        <Collision
          mine={text}
          theirs={collision}
          onMine={() => {
            setVersion(collision.version);
            submit.reset();
          }}
          onTheirs={() => {
            setText(collision.text);
            setVersion(collision.version);
            submit.reset();
          }}
        />
      )}
      {submit.isError && !collision && fault === undefined && <ProblemNotice problem={submit.error} />}
      {mayTranslate ? (
        <>
          <div lang={message.locale} dir={dir} className={styles.translation}>
            <TextField label={t("l10n.translation")} value={text} onChange={setText} rows={4} {...(fault && { fault })} />
          </div>
          <Placeholders message={message} text={text} onInsert={insert} />
          <div className={styles.actions}>
            <Button kind="primary" isDisabled={!isReady} isPending={submit.isPending} onPress={() => submit.mutate()}>
              {t("l10n.submit")} <kbd>Ctrl ↵</kbd>
            </Button>
            <Button isDisabled={!next} onPress={() => onGo(next)}>
              {t("l10n.skip")} <kbd>Alt ↓</kbd>
            </Button>
            <Button kind="quiet" isDisabled={!previous} onPress={() => onGo(previous)}>
              {t("l10n.previous")} <kbd>Alt ↑</kbd>
            </Button>
            <Button kind="quiet" onPress={() => setText(message.source)}>
              {t("l10n.copy_source")}
            </Button>
          </div>
        </>
      ) : (
        <p className={styles.message} lang={message.locale} dir={dir}>
          {message.text}
        </p>
      )}
      <MessagePreview message={message} text={text} />
      <MessageHistory message={message} />
    </section>
  );
}
