import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { useText } from "../i18n/texts";
import { Button } from "./Button";
import { Form } from "./Form";
import { Actions, Modal } from "./Modal";
import { ProblemNotice } from "./ProblemNotice";
import { TextField } from "./TextField";

export interface ConfirmByNameProps {
  title: string;
  text: string;
  /** What has to be typed, so that nobody does this by a slip. */
  name: string;
  action: string;
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => Promise<unknown>;
}

/** Asks for the name of the thing before what cannot be undone. */
export function ConfirmByName({ title, text, name, action, isOpen, onClose, onConfirm }: ConfirmByNameProps) {
  const t = useText();
  const [typed, setTyped] = useState("");
  const confirmed = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  return (
    <Modal title={title} isOpen={isOpen} onClose={onClose}>
      <p>{text}</p>
      <Form
        name="confirm"
        onSubmit={() => {
          if (typed === name) confirmed.mutate();
        }}
      >
        {confirmed.isError && <ProblemNotice problem={confirmed.error} />}
        <TextField label={t("form.type_name", { name })} value={typed} onChange={setTyped} autoFocus />
        <Actions onCancel={onClose}>
          <Button kind="danger" type="submit" isDisabled={typed !== name} isPending={confirmed.isPending}>
            {action}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}
