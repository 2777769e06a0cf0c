import { Dialog, Modal, ModalOverlay } from "react-aria-components";

import { useText } from "@guildhall/console/i18n/texts";
import { useInstance } from "@guildhall/console/instance";
import { Navigation } from "./Navigation";
import styles from "./Side.module.css";
import { TeamSwitch } from "./TeamSwitch";

/** The navigation over the screen of a phone: the focus stays in it, Esc closes it and gives the focus back. */
export default function Drawer({ isOpen, onOpenChange }: { isOpen: boolean; onOpenChange: (open: boolean) => void }) {
  const t = useText();
  const { config } = useInstance();
  return (
    <ModalOverlay isOpen={isOpen} onOpenChange={onOpenChange} isDismissable className={styles.veil ?? ""}>
      <Modal className={styles.drawer ?? ""}>
        <Dialog aria-label={t("nav.label")} className={styles.inside ?? ""}>
          <TeamSwitch />
          <Navigation onGo={() => onOpenChange(false)} />
          <div className={styles.foot}>
            <span className={styles.version}>{t("nav.version", { version: config.version })}</span>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
