import { useEffect, useState } from "react";

import { useSaveKey, useWarning } from "@guildhall/console/drafts/writing";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Conflict } from "@guildhall/console/ui/Conflict";
import { Editor, type EditorProps } from "@guildhall/console/ui/Editor";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import type { StoredObject } from "../objects";
import { mediaType } from "@guildhall/console/ui/sizes";
import { useVersionText } from "../preview/content";
import preview from "../preview/Preview.module.css";
import styles from "./Document.module.css";
import { useDocumentWriting } from "./useDocumentWriting";

interface DocumentEditorProps {
  object: StoredObject;
  /** Not any more, perhaps: what was typed stays. */
  mayWrite: boolean;
  onClose: () => void;
}

/** A text document to write in. What is typed is kept on the device until it is saved. */
export function DocumentEditor({ object, ...rest }: DocumentEditorProps) {
  // The version that is opened: what comes later is told beside the text, and never takes its place.
  const [opened] = useState(object);
  const text = useVersionText(object.id, opened.version);
  if (text.isPending) return <SkeletonRows />;
  if (text.isError && text.data === undefined) return <ProblemNotice problem={text.error} onRetry={() => void text.refetch()} />;
  return <Writing object={object} opened={opened} text={text.data} {...rest} />;
}

interface WritingProps extends DocumentEditorProps {
  opened: StoredObject;
  text: string;
}

function Writing({ object, opened, text, mayWrite, onClose }: WritingProps) {
  const t = useText();
  const writing = useDocumentWriting(object, opened, text);
  const { value, other, isDirty, isSaving, problem } = writing;
  const store = () => mayWrite && writing.store();
  useSaveKey(store);
  useWarning(writing.isDraftRefused && isDirty);
  useEffect(() => {
    const name = document.title;
    if (isDirty) document.title = `• ${name}`;
    return () => {
      document.title = name;
    };
  }, [isDirty]);

  if (other) {
    return (
      <Conflict
        thing={`file.${object.id}`}
        mine={value}
        theirs={other.text}
        base={other.began}
        language={languageOf(object)}
        onKeepMine={() => writing.insist(other)}
        onTakeTheirs={() => writing.take(other)}
        onJoin={(joined) => writing.join(other, joined)}
      />
    );
  }
  return (
    <section className={styles.editor} aria-label={t("files.edit_text")}>
      <div className={styles.editorHead}>
        <span role="status" className={styles.quiet}>
          {isSaving ? t("state.saving") : isDirty ? t("state.unsaved") : t("state.saved")}
          {isDirty && (writing.isDraftRefused ? ` · ${t("notes.draft_refused")}` : ` · ${t("state.draft_kept")}`)}
        </span>
        <span className={styles.noticeActions}>
          <Button kind="quiet" onPress={onClose}>
            {t("action.close")}
          </Button>
          {mayWrite && (
            <Button kind="primary" isDisabled={!isDirty} isPending={isSaving} onPress={store}>
              {t("action.save")}
            </Button>
          )}
        </span>
      </div>
      {!mayWrite && (
        <div role="status" className={styles.notice}>
          <span>{t("state.write_lost")}</span>
        </div>
      )}
      {writing.isOutrun && !isSaving && (
        <div role="status" className={styles.notice}>
          <span>{t("files.changed_meanwhile", { number: object.version })}</span>
          <Button onPress={writing.compare}>{t("files.see_difference")}</Button>
        </div>
      )}
      {writing.isFromDraft && (
        <div role="status" className={styles.notice}>
          <span>{t("files.draft_found")}</span>
          <Button onPress={writing.discardDraft}>{t("files.draft_discard")}</Button>
        </div>
      )}
      {problem !== null && <ProblemNotice problem={problem} onRetry={store} />}
      <div className={preview.long}>
        <Editor label={t("files.edit_text")} language={languageOf(object)} value={value} onChange={writing.change} autoFocus />
      </div>
    </section>
  );
}

function languageOf({ content_type }: StoredObject): EditorProps["language"] {
  const type = mediaType(content_type);
  return type === "text/markdown" ? "markdown" : type === "application/json" ? "json" : "plain";
}
