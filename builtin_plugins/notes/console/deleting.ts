/** Deleting a note, which lies in the bin then: the way back is offered at once instead of a question. */

import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";

import { api } from "@guildhall/console/api/client";
import { dropDraft } from "@guildhall/console/drafts/store";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { noteKey } from "./useNote";
import type { Note } from "./version";

/** What nobody can be asked to type is confirmed by the id instead. */
const LONGEST_TYPED = 60;

export function typableName(note: Note): string {
  const title = note.title.trim();
  const isTypable = title.length > 0 && title.length <= LONGEST_TYPED && /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(title);
  return isTypable ? title : note.id;
}

/** `onDeleted` leaves the note, `onRestored` comes back to it. */
export function useDeleteNote(onDeleted: () => void, onRestored: (id: string) => void): (note: Note) => Promise<void> {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const { user } = useIdentity();
  return useCallback(
    async (note: Note) => {
      const path = { params: { path: { id: note.id } } };
      const refetch = () => void client.invalidateQueries({ queryKey: ["notes"] });
      await api.DELETE("/api/notes/{id}", path);
      onDeleted();
      client.removeQueries({ queryKey: noteKey(note.id) });
      refetch();
      const undo = () =>
        void api
          .POST("/api/notes/{id}/restore", path)
          .then(() => onRestored(note.id))
          .finally(refetch);
      // What was typed and not saved comes back with the note, as long as that is offered.
      announce(t("notes.deleted"), undo, () => {
        dropDraft(user.id, `note.${note.id}`);
        dropDraft(user.id, `note.${note.id}.joined`);
      });
    },
    [announce, client, onDeleted, onRestored, t, user.id],
  );
}
