import { useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Markdown } from "@guildhall/console/ui/Markdown";
import { NoteBar } from "./NoteBar";
import { NoteEditors } from "./NoteEditors";
import { NoteFacts } from "./NoteFacts";
import { NoteNotice } from "./NoteNotice";
import styles from "./NotePane.module.css";
import { useEditors } from "./useEditors";
import { isSame, type Version } from "./version";

/** A note for somebody who may not change it. A newer one is told, and comes when they ask for it. */
export function NoteReading({ current, isGone, onClose }: { current: Version; isGone: boolean; onClose: () => void }) {
  const t = useText();
  const [shown, setShown] = useState(current);
  const { note } = shown;
  const editors = useEditors(isGone ? null : note.id);
  return (
    <>
      <NoteBar note={current.note} onClose={onClose} />
      {isGone ? (
        <NoteNotice text={t("notes.gone")} />
      ) : (
        !isSame(shown.note, current.note) && (
          <NoteNotice text={t("notes.changed")} at={current.note.updated_at}>
            <Button onPress={() => setShown(current)}>{t("notes.show_new")}</Button>
          </NoteNotice>
        )
      )}
      <h2 className={styles.heading} dir="auto">
        {note.title}
      </h2>
      <NoteFacts note={current.note} />
      <NoteEditors editors={editors} />
      <section className={styles.reading} aria-label={t("notes.body")} tabIndex={0}>
        <Markdown text={note.body} />
      </section>
    </>
  );
}
