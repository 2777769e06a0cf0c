import type { ReactNode } from "react";
import { Dialog, Heading, Modal as AriaModal, ModalOverlay } from "react-aria-components";

import styles from "./Dialog.module.css";

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

/** A dialog over the screen; Esc and a click beside it close it. */
export function Modal({ title, isOpen, onClose, children, isWide, isShownOnce = false }: ModalProps) {
  return (
    <ModalOverlay isOpen={isOpen} onOpenChange={(open) => !open && onClose()} isDismissable={!isShownOnce} isKeyboardDismissDisabled={isShownOnce} className={styles.overlay}>
      <AriaModal className={`${styles.modal} ${isWide ? styles.wide : ""}`}>
        <Dialog className={styles.dialog}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </Dialog>
      </AriaModal>
    </ModalOverlay>
  );
}

export function Actions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}
