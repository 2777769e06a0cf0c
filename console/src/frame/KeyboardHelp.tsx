import { useText } from "@guildhall/console/i18n/texts";
import { useScreens } from "@guildhall/console/screens/shown";
import { Modal } from "@guildhall/console/ui/Modal";

/** The screen that lists the keys, over the one where somebody asks for them. */
export function KeyboardHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const t = useText();
  const keys = useScreens().shown.find(({ name }) => name === "keys");
  return (
    <Modal title={t("keys.title")} isOpen={isOpen} onClose={onClose} isWide>
      {keys && <keys.Component />}
    </Modal>
  );
}
