import { useQueryClient } from "@tanstack/react-query";

import { api } from "../../api/client";
import { dropDraft } from "../../drafts/store";
import { useText } from "../../i18n/texts";
import { useIdentity } from "../../session/identity";
import { ConfirmByName } from "../../ui/ConfirmByName";
import { useAnnounce } from "../../ui/Toasts";
import { noteKey } from "./useNote";
import type { Note } from "./version";

/** What nobody can be asked to type is confirmed by the id instead. */
const LONGEST_TYPED = 60;

interface DeleteNoteProps {
  note: Note;
  isOpen: boolean;
  onClose: () => void;
  onDeleted: () => void;
}

/** Deleting a note, which nobody brings back. */
export function DeleteNote({ note, isOpen, onClose, onDeleted }: DeleteNoteProps) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const { user } = useIdentity();
  const title = note.title.trim();
  const isTypable = title.length > 0 && title.length <= LONGEST_TYPED && /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(title);
  async function remove() {
    await api.DELETE("/api/notes/{id}", { params: { path: { id: note.id } } });
    dropDraft(user.id, `note.${note.id}`);
    dropDraft(user.id, `note.${note.id}.joined`);
    onDeleted();
    client.removeQueries({ queryKey: noteKey(note.id) });
    void client.invalidateQueries({ queryKey: ["notes"] });
    announce(t("notes.deleted"));
  }
  return (
    <ConfirmByName
      title={t("notes.delete")}
      text={t("notes.delete_confirm", { title: title.slice(0, LONGEST_TYPED) })}
      name={isTypable ? title : note.id}
      action={t("notes.delete")}
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={remove}
    />
  );
}
