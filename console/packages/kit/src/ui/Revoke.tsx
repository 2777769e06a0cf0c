import { useMutation } from "@tanstack/react-query";

import { useText } from "../i18n/texts";
import { Button } from "./Button";
import { Actions, Modal } from "./Modal";
import { ProblemNotice } from "./ProblemNotice";

/** Asks once before something stops for whoever uses it. */
export function Revoke({ text, action, onClose, onRevoke }: { text: string; action?: string; onClose: () => void; onRevoke: () => Promise<unknown> }) {
  const t = useText();
  const revoke = useMutation({ mutationFn: onRevoke, onSuccess: onClose });
  return (
    <Modal title={action ?? t("action.revoke")} isOpen onClose={onClose}>
      {revoke.isError && <ProblemNotice problem={revoke.error} />}
      <p>{text}</p>
      <Actions onCancel={onClose}>
        <Button kind="danger" isPending={revoke.isPending} onPress={() => revoke.mutate()}>
          {action ?? t("action.revoke")}
        </Button>
      </Actions>
    </Modal>
  );
}
