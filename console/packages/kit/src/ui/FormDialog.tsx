import type { ReactNode } from "react";

import { Button } from "./Button";
import { Form } from "./Form";
import { Actions, Modal } from "./Modal";
import { ProblemNotice } from "./ProblemNotice";

interface FormDialogProps {
  title: string;
  /** What the form is known by, as of `Form`. */
  name: string;
  /** What the button says that sends it. */
  submit: string;
  /** The mutation that sends it. */
  sending: { mutate: () => void; isPending: boolean; isError: boolean; error: Error | null };
  isDisabled?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** A form in a dialog of its own, with what was wrong with it and the two ways out of it. */
export function FormDialog({ title, name, submit, sending, isDisabled = false, onClose, children }: FormDialogProps) {
  return (
    <Modal title={title} isOpen onClose={onClose}>
      <Form name={name} onSubmit={() => sending.mutate()}>
        {sending.isError && <ProblemNotice problem={sending.error} />}
        {children}
        <Actions onCancel={onClose}>
          <Button kind="primary" type="submit" isPending={sending.isPending} isDisabled={isDisabled}>
            {submit}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}
