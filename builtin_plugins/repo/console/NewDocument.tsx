import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { FormDialog } from "@guildhall/console/ui/FormDialog";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";

/** Begins a text document; it is written in on its own page. */
export function NewDocument({ onClose, onMade }: { onClose: () => void; onMade: (id: string) => void }) {
  const t = useText();
  const client = useQueryClient();
  const [title, setTitle] = useState("");
  const [visibility, setVisibility] = useState("private");
  const [key] = useState(() => crypto.randomUUID());
  const make = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST("/api/documents", {
          body: { title, body: "", visibility: visibility as "private" | "team" },
          headers: { "Idempotency-Key": key },
        }),
      ),
    onSuccess: ({ id }) => {
      void client.invalidateQueries({ queryKey: ["files"] });
      onMade(id);
    },
  });
  const fault = make.error instanceof Problem ? make.error.at("/title") : undefined;
  return (
    <FormDialog title={t("files.new_document")} name="new-document" submit={t("files.create_document")} sending={make} onClose={onClose}>
      <TextField label={t("files.document_title")} value={title} onChange={setTitle} isRequired autoFocus {...(fault && { fault })} />
      <Select
        label={t("visibility.label")}
        value={visibility}
        onChange={setVisibility}
        options={["private", "team"].map((id) => ({ id, name: t(`visibility.${id}`) }))}
      />
    </FormDialog>
  );
}
