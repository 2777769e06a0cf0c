import type { ReactNode } from "react";

import { useText } from "../i18n/texts";
import { Button } from "./Button";
import { Actions, Modal } from "./Modal";
import { ShownOnce } from "./ShownOnce";

interface ShownOnceDialogProps {
  title: string;
  /** What is said above them; unless told, that they are shown once. */
  text?: string;
  /** What is to be copied, by what it is called; what is not there is left out. */
  values: Record<string, string | null | undefined>;
  onClose: () => void;
  /** What stands below them. */
  children?: ReactNode;
}

/** What was made just now and is never shown again. */
export function ShownOnceDialog({ title, text, values, onClose, children }: ShownOnceDialogProps) {
  const t = useText();
  return (
    <Modal title={title} isOpen isShownOnce={Object.values(values).some(Boolean)} onClose={onClose}>
      <p>{text ?? t("tokens.shown_once")}</p>
      {Object.entries(values).map(([label, value]) => value && <ShownOnce key={label} label={label} value={value} />)}
      {children}
      <Actions>
        <Button kind="primary" onPress={onClose}>
          {t("action.close")}
        </Button>
      </Actions>
    </Modal>
  );
}
