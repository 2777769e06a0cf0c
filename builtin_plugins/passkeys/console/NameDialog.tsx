import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { TextField } from "@guildhall/console/ui/TextField";

interface NameDialogProps {
  title: string;
  name: string;
  onClose: () => void;
  onName: (name: string) => Promise<unknown>;
}

/** Asks what a passkey is called; a new one is then made by the browser. */
export function NameDialog({ title, name, onClose, onName }: NameDialogProps) {
  const t = useText();
  const [typed, setTyped] = useState(name);
  const save = useMutation({ mutationFn: () => onName(typed.trim()), onSuccess: onClose });
  const { error } = save;
  return (
    <Modal title={title} isOpen onClose={onClose}>
      <Form name="passkey" onSubmit={() => save.mutate()}>
        {error && <ProblemNotice problem={error} />}
        <TextField
          label={t("passkeys.name")}
          help={t("passkeys.name_help")}
          isRequired
          maxLength={128}
          value={typed}
          onChange={setTyped}
          fault={error instanceof Problem ? error.at("/name") : undefined}
          autoFocus
        />
        <Actions>
          <Button kind="quiet" onPress={onClose}>
            {t("action.cancel")}
          </Button>
          <Button kind="primary" type="submit" isPending={save.isPending}>
            {title}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}
