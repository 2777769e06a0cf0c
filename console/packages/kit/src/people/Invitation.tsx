import { useText } from "../i18n/texts";
import { Button } from "../ui/Button";
import { Actions, Modal } from "../ui/Modal";
import { ShownOnce } from "../ui/ShownOnce";
import { activationLink } from "./invitation";

/** What to hand to somebody who was added: a link for a new person, nothing for one who has an account. */
export function Invitation({ name, token, onClose }: { name: string; token: string | null; onClose: () => void }) {
  const t = useText();
  return (
    <Modal title={t("members.added", { name })} isOpen isShownOnce={token !== null} onClose={onClose}>
      {token ? (
        <>
          <p>{t("members.first_token", { name })}</p>
          <ShownOnce label={t("members.link")} value={activationLink(token)} />
        </>
      ) : (
        <p>{t("members.added_known", { name })}</p>
      )}
      <Actions>
        <Button kind="primary" onPress={onClose}>
          {t("action.close")}
        </Button>
      </Actions>
    </Modal>
  );
}
