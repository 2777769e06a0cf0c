import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { faultOfList } from "@guildhall/console/ui/faultWords";
import { FormDialog } from "@guildhall/console/ui/FormDialog";
import { TextField } from "@guildhall/console/ui/TextField";
import { noteKey } from "./useNote";
import type { Note } from "./version";

/** The words that a note is found by, in place of those before. */
export function NoteTags({ note, onClose }: { note: Note; onClose: () => void }) {
  const t = useText();
  const client = useQueryClient();
  const [typed, setTyped] = useState(note.tags.join(", "));
  const tags = typed
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
  const save = useMutation({
    mutationFn: () => dataOf(api.PUT("/api/notes/{id}", { params: { path: { id: note.id } }, body: { tags } })),
    onSuccess: async () => {
      void client.invalidateQueries({ queryKey: ["notes"] });
      await client.invalidateQueries({ queryKey: noteKey(note.id) });
      onClose();
    },
  });
  return (
    <FormDialog title={t("notes.tags_edit")} name="note-tags" submit={t("notes.tags_save")} sending={save} onClose={onClose}>
      <TextField
        label={t("notes.tags")}
        help={t("notes.tags_help")}
        autoComplete="off"
        value={typed}
        onChange={(words) => {
          setTyped(words);
          if (save.isError) save.reset();
        }}
        {...faultOfList(save.error, "/tags", tags)}
        autoFocus
      />
    </FormDialog>
  );
}
