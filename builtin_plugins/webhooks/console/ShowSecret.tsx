import { useText } from "@guildhall/console/i18n/texts";
import { ShownOnceDialog } from "@guildhall/console/ui/ShownOnceDialog";

/** What the other service has to know, shown here and never again. */
export function ShowSecret({ title, url, secret, onClose }: { title: string; url?: string; secret: string | null; onClose: () => void }) {
  const t = useText();
  const values = { [t("webhooks.address")]: url, [t("webhooks.secret")]: secret };
  return <ShownOnceDialog title={title} text={t("webhooks.give_secret")} values={values} onClose={onClose} />;
}
