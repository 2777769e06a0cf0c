import { useText } from "../i18n/texts";
import { ShownOnceDialog } from "../ui/ShownOnceDialog";
import { activationLink } from "./invitation";

/** What to hand to somebody who was added: a link for a new person, nothing for one who has an account. */
export function Invitation({ name, token, onClose }: { name: string; token: string | null; onClose: () => void }) {
  const t = useText();
  return (
    <ShownOnceDialog
      title={t("members.added", { name })}
      text={token ? t("members.first_token", { name }) : t("members.added_known", { name })}
      values={{ [t("members.link")]: token && activationLink(token) }}
      onClose={onClose}
    />
  );
}
