import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
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
    <Modal title={t("files.new_document")} isOpen onClose={onClose}>
      <Form name="new-document" onSubmit={() => make.mutate()}>
        {make.isError && <ProblemNotice problem={make.error} />}
        <TextField label={t("files.document_title")} value={title} onChange={setTitle} isRequired autoFocus {...(fault && { fault })} />
        <Select
          label={t("visibility.label")}
          value={visibility}
          onChange={setVisibility}
          options={["private", "team"].map((id) => ({ id, name: t(`visibility.${id}`) }))}
        />
        <Actions>
          <Button kind="quiet" onPress={onClose}>
            {t("action.cancel")}
          </Button>
          <Button kind="primary" type="submit" isPending={make.isPending}>
            {t("files.create_document")}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}
