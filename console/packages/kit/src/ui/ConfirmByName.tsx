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
  const [problem, setProblem] = useState<unknown>(null);
  const [pending, setPending] = useState(false);
  async function confirm() {
    setPending(true);
    setProblem(null);
    try {
      await onConfirm();
      onClose();
    } catch (cause) {
      setProblem(cause);
    } finally {
      setPending(false);
    }
  }
  return (
    <Modal title={title} isOpen={isOpen} onClose={onClose}>
      <p>{text}</p>
      <Form
        name="confirm"
        onSubmit={() => {
          if (typed === name) void confirm();
        }}
      >
        {problem !== null && <ProblemNotice problem={problem} />}
        <TextField label={t("form.type_name", { name })} value={typed} onChange={setTyped} autoFocus />
        <Actions>
          <Button kind="quiet" onPress={onClose}>
            {t("action.cancel")}
          </Button>
          <Button kind="danger" type="submit" isDisabled={typed !== name} isPending={pending}>
            {action}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}
