import { useEffect, useRef, useState, type FocusEvent, type ReactNode } from "react";
import { Dialog, Heading, Modal as AriaModal, ModalOverlay } from "react-aria-components";

import { useText } from "../i18n/texts";
import { Button } from "./Button";
import styles from "./Dialog.module.css";

/** A click beside a dialog that came up just now is the second of a double click. */
const DOUBLE_CLICK_MS = 500;

/** What is worth keeping: neither a password nor a phrase to look for, and not the name that a danger asks for. */
const WRITTEN = "input:is([type=text], [type=url], [type=email], :not([type])):not([readonly], [hidden], [role=combobox]), textarea:not([readonly])";
const ASKED_FOR = "form[data-form=confirm]";

type Field = HTMLInputElement | HTMLTextAreaElement;

export interface ModalProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  /** For what needs room: a difference, a table. */
  isWide?: boolean;
  /** Shows what is shown once: Esc or a click beside it, which may be a slip, does not close it. */
  isShownOnce?: boolean;
}

/** A dialog over the screen; Esc and a click beside it close it, and ask first where something was written in it. */
export function Modal({ title, isOpen, onClose, children, isWide, isShownOnce = false }: ModalProps) {
  /** The fields that somebody went to, and what each held then. */
  const began = useRef(new Map<Field, string>());
  const opened = useRef(0);
  const [isLeaving, setLeaving] = useState(false);
  useEffect(() => {
    opened.current = performance.now();
    began.current.clear();
    setLeaving(false);
  }, [isOpen]);
  function remember({ target }: FocusEvent<HTMLElement>) {
    if (isWritten(target) && !began.current.has(target)) began.current.set(target, target.value);
  }
  function leave() {
    if (isLeaving) setLeaving(false);
    else if ([...began.current].some(([field, value]) => field.isConnected && field.value.trim() !== value.trim())) setLeaving(true);
    else onClose();
  }
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && leave()}
      isDismissable={!isShownOnce}
      isKeyboardDismissDisabled={isShownOnce}
      shouldCloseOnInteractOutside={() => performance.now() - opened.current > DOUBLE_CLICK_MS}
      className={styles.overlay}
    >
      <AriaModal className={`${styles.modal} ${isWide ? styles.wide : ""}`}>
        <Dialog className={styles.dialog}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          <div className={styles.content} onFocus={remember}>
            {children}
          </div>
          {isLeaving && <Leaving onStay={() => setLeaving(false)} onLeave={onClose} />}
        </Dialog>
      </AriaModal>
    </ModalOverlay>
  );
}

function isWritten(element: HTMLElement): element is Field {
  return element.matches(WRITTEN) && !element.closest(ASKED_FOR);
}

/** Asks whether what was written goes, with the focus on keeping it. */
function Leaving({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const t = useText();
  return (
    <div role="alert" className={styles.leaving}>
      <p>{t("form.leave_written")}</p>
      <Actions>
        <Button kind="quiet" onPress={onLeave}>
          {t("form.discard_written")}
        </Button>
        <Button autoFocus onPress={onStay}>
          {t("form.keep_writing")}
        </Button>
      </Actions>
    </div>
  );
}

/** The buttons at the end of a dialog; with `onCancel` the first leaves it. */
export function Actions({ children, onCancel }: { children: ReactNode; onCancel?: () => void }) {
  const t = useText();
  return (
    <div className={styles.actions}>
      {onCancel && <Button kind="quiet" onPress={onCancel}>{t("action.cancel")}</Button>}
      {children}
    </div>
  );
}
