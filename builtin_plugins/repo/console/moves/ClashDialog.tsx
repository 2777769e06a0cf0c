import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import type { Clash } from "./clashes";

/** Asks what becomes of a folder whose name is taken where it is to go. */
export default function ClashDialog({ clash: { name, place, isUndoable, answer } }: { clash: Clash }) {
  const t = useText();
  return (
    <Modal title={t("files.clash_title", { name })} isOpen onClose={() => answer("cancel")}>
      <p>{t("files.clash_text", { name, folder: place })}</p>
      {!isUndoable && <p>{t("files.clash_final")}</p>}
      <Actions onCancel={() => answer("cancel")}>
        <Button onPress={() => answer("both")}>{t("files.clash_both")}</Button>
        <Button kind="primary" onPress={() => answer("merge")}>
          {t("files.clash_merge")}
        </Button>
      </Actions>
    </Modal>
  );
}
