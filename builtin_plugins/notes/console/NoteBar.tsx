import { X } from "lucide-react";
import { useCallback, useState, type ReactNode } from "react";
import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { useAsk } from "@guildhall/console/ui/ask";
import { ActionMenu, type Action } from "@guildhall/console/ui/ActionMenu";
import { Button } from "@guildhall/console/ui/Button";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { useDeleteNote } from "./deleting";
import styles from "./NotePane.module.css";
import { NoteTags } from "./NoteTags";
import { NoteVersions } from "./NoteVersions";
import { ShareNote } from "./ShareNote";
import type { Note } from "./version";

/** What can be done with a note besides writing in it; `children` is what writing needs. */
export function NoteBar({ note, onClose, children }: { note: Note | null; onClose: () => void; children?: ReactNode }) {
  const t = useText();
  const announce = useAnnounce();
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<"share" | "versions" | "tags" | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const close = () => setOpen(null);
  const back = useCallback((id: string) => navigate(`/notes/${id}`), [navigate]);
  const remove = useDeleteNote(onClose, back);
  const copy = async () => {
    await navigator.clipboard.writeText(note?.id ?? "");
    announce(t("action.copied"));
  };
  const ask = useAsk();
  const actions: Action[] = note ? [{ id: "copy", name: t("action.copy_id"), onAction: () => void copy() }] : [];
  if (note && ask) actions.push({ id: "ask", name: t("action.ask"), onAction: () => ask({ type: "note", at: note.id }) });
  if (note) {
    actions.push({ id: "versions", name: t("notes.versions"), onAction: () => setOpen("versions") });
    if (note.permissions.includes("notes:write")) actions.push({ id: "tags", name: t("notes.tags_edit"), onAction: () => setOpen("tags") });
    if (note.permissions.includes("notes:delete")) {
      actions.push({ id: "delete", name: t("action.delete"), onAction: () => void remove(note).catch(setProblem), isDangerous: true });
    }
  }
  return (
    <div className={styles.bar}>
      <Button kind="quiet" aria-label={t("action.close")} onPress={onClose}>
        <X size={16} />
      </Button>
      <div className={styles.tools}>
        {children}
        {note?.permissions.includes("notes:manage") && <Button onPress={() => setOpen("share")}>{t("action.share")}</Button>}
        {note && <ActionMenu of={note.title} actions={actions} />}
      </div>
      {problem !== null && <ProblemNotice problem={problem} />}
      {note && open === "share" && <ShareNote note={note} onClose={close} />}
      {note && open === "versions" && <NoteVersions note={note} onClose={close} />}
      {note && open === "tags" && <NoteTags note={note} onClose={close} />}
    </div>
  );
}
