import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ShownOnce } from "@guildhall/console/ui/ShownOnce";

/** What the other service has to know, shown here and never again. */
export function ShowSecret({ title, url, secret, onClose }: { title: string; url?: string; secret: string | null; onClose: () => void }) {
  const t = useText();
  return (
    <Modal title={title} isOpen isShownOnce onClose={onClose}>
      <p>{t("webhooks.give_secret")}</p>
      {url && <ShownOnce label={t("webhooks.address")} value={url} />}
      {secret && <ShownOnce label={t("webhooks.secret")} value={secret} />}
      <Actions>
        <Button kind="primary" onPress={onClose}>
          {t("action.close")}
        </Button>
      </Actions>
    </Modal>
  );
}
