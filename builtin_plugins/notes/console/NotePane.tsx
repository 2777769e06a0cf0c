import { useCallback, useEffect, useRef } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { LeftDraft } from "@guildhall/console/drafts/LeftDraft";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useGoTo, usePlace } from "@guildhall/console/ui/place";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import styles from "./NotePane.module.css";
import { isNew } from "./newNotes";
import { draftedText } from "./noteDraft";
import { NoteReading } from "./NoteReading";
import { NoteWriting } from "./NoteWriting";
import { useNote } from "./useNote";

export interface NotePaneProps {
  /** Of a note that is not there yet, what its draft is called. */
  id: string;
  /** It is written on under another id. */
  onMoved: (id: string) => void;
  onClose: () => void;
}

/** One note: to write in for those who may, to read for everybody else. Esc leaves it. */
export function NotePane({ id: address, onMoved, onClose }: NotePaneProps) {
  const t = useText();
  const id = isNew(address) ? null : address;
  const pane = useRef<HTMLElement>(null);
  const note = useNote(id);
  useGoTo(pane, usePlace());
  const onKeyDown = useCallback(
    (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented) onClose();
    },
    [onClose],
  );
  // Of the element itself: what is said in a dialog above it does not come by here.
  useEffect(() => {
    const element = pane.current;
    element?.addEventListener("keydown", onKeyDown);
    return () => element?.removeEventListener("keydown", onKeyDown);
  }, [onKeyDown]);

  // Who has begun to write keeps what they wrote before them, also when they may not save it any more.
  const hasBegun = useRef(false);
  const mayWrite = !note.data || note.data.note.permissions.includes("notes:write");
  hasBegun.current ||= mayWrite && !(id !== null && !note.data);
  const isGone = note.error instanceof Problem && note.error.status === 404;
  return (
    <section ref={pane} className={styles.pane} aria-label={t("palette.type_note")}>
      {id !== null && note.isPending ? (
        <SkeletonRows />
      ) : note.isError && !note.data ? (
        <>
          <ProblemNotice problem={note.error} onRetry={() => void note.refetch()} />
          <Button onPress={onClose}>{t("action.back")}</Button>
          <LeftDraft thing={`note.${id}`} textOf={draftedText} />
        </>
      ) : !note.data || hasBegun.current ? (
        <NoteWriting
          id={address}
          current={note.data ?? null}
          isGone={isGone}
          mayWrite={mayWrite}
          onMoved={onMoved}
          onClose={onClose}
        />
      ) : (
        <NoteReading key={note.data.note.id} current={note.data} isGone={isGone} onClose={onClose} />
      )}
    </section>
  );
}
