import { X } from "lucide-react";
import { useState, type ReactNode } from "react";

import { useText } from "../../i18n/texts";
import { ActionMenu, type Action } from "../../ui/ActionMenu";
import { Button } from "../../ui/Button";
import { useAnnounce } from "../../ui/Toasts";
import { DeleteNote } from "./DeleteNote";
import styles from "./NotePane.module.css";
import { ShareNote } from "./ShareNote";
import type { Note } from "./version";

/** What can be done with a note besides writing in it; `children` is what writing needs. */
export function NoteBar({ note, onClose, children }: { note: Note | null; onClose: () => void; children?: ReactNode }) {
  const t = useText();
  const announce = useAnnounce();
  const [isSharing, setSharing] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(note?.id ?? "");
    announce(t("action.copied"));
  };
  const actions: Action[] = note ? [{ id: "copy", name: t("action.copy_id"), onAction: () => void copy() }] : [];
  if (note?.permissions.includes("notes:delete")) {
    actions.push({ id: "delete", name: t("action.delete"), onAction: () => setDeleting(true), isDangerous: true });
  }
  return (
    <div className={styles.bar}>
      <Button kind="quiet" aria-label={t("action.close")} onPress={onClose}>
        <X size={16} />
      </Button>
      <div className={styles.tools}>
        {children}
        {note?.permissions.includes("notes:manage") && <Button onPress={() => setSharing(true)}>{t("action.share")}</Button>}
        {note && <ActionMenu of={note.title} actions={actions} />}
      </div>
      {note && isSharing && <ShareNote note={note} onClose={() => setSharing(false)} />}
      {note && <DeleteNote note={note} isOpen={isDeleting} onClose={() => setDeleting(false)} onDeleted={onClose} />}
    </div>
  );
}
