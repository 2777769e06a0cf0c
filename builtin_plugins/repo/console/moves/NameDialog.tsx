import { useMutation } from "@tanstack/react-query";
import { useState, type FocusEvent } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { TextField } from "@guildhall/console/ui/TextField";
import { nameFault, stemLength } from "./places";

export interface NameDialogProps {
  title: string;
  action: string;
  /** The name that it has now. */
  name?: string;
  onName: (name: string) => Promise<unknown>;
  onClose: () => void;
}

/** Asks for the name of a file or folder; what is wrong with it is said at the field. */
export function NameDialog({ title, action, name: before = "", onName, onClose }: NameDialogProps) {
  const t = useText();
  const [name, setName] = useState(before);
  const send = useMutation({ mutationFn: () => onName(name.trim()), onSuccess: onClose });
  const [fault, setFault] = useState<string | undefined>();
  const problem = send.error instanceof Problem ? send.error : null;
  const isTaken = problem !== null && (problem.code === "key_taken" || problem.status === 412);
  const words = fault ?? (isTaken ? t("files.name_taken") : problem?.at("/key"));
  function submit() {
    const wrong = nameFault(name.trim());
    setFault(wrong ? t(wrong) : undefined);
    if (!wrong) send.mutate();
  }
  // What is before its ending is what one changes.
  const pick = ({ target }: FocusEvent) => target instanceof HTMLInputElement && target.setSelectionRange(0, stemLength(before));
  return (
    <Modal title={title} isOpen onClose={onClose}>
      <Form name="file-name" onSubmit={submit}>
        {send.isError && !isTaken && <ProblemNotice problem={send.error} />}
        <TextField
          label={t("list.name")}
          value={name}
          onChange={setName}
          onFocus={pick}
          isRequired
          autoFocus
          {...(words && { fault: words })}
        />
        <Actions>
          <Button kind="quiet" onPress={onClose}>
            {t("action.cancel")}
          </Button>
          <Button kind="primary" type="submit" isPending={send.isPending}>
            {action}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}
