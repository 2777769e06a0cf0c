import { useState } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { PasswordField } from "@guildhall/console/ui/PasswordField";

interface PasswordDialogProps {
  title: string;
  isDangerous: boolean;
  onClose: () => void;
  onPassword: (password: string) => Promise<unknown>;
}

/** Asks who is there once more before something that guards the account. */
export function PasswordDialog({ title, isDangerous, onClose, onPassword }: PasswordDialogProps) {
  const t = useText();
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState<unknown>(null);
  const [pending, setPending] = useState(false);
  async function submit() {
    setPending(true);
    setProblem(null);
    try {
      await onPassword(password);
      onClose();
    } catch (cause) {
      setProblem(cause);
      setPending(false);
    }
  }
  const isWrong = problem instanceof Problem && problem.code === "wrong_password";
  return (
    <Modal title={title} isOpen onClose={onClose}>
      <p>{t("error.reauthentication_required")}</p>
      <Form name="password-again" onSubmit={() => void submit()}>
        {problem !== null && !isWrong && <ProblemNotice problem={problem} />}
        <PasswordField
          label={t("account.current_password")}
          kind="current"
          value={password}
          onChange={setPassword}
          fault={isWrong ? t("error.wrong_password") : undefined}
          autoFocus
        />
        <Actions>
          <Button kind="quiet" onPress={onClose}>
            {t("action.cancel")}
          </Button>
          <Button kind={isDangerous ? "danger" : "primary"} type="submit" isPending={pending}>
            {title}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}
