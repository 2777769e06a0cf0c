import { useText } from "@guildhall/console/i18n/texts";
import { CopyButton } from "@guildhall/console/ui/CopyButton";
import styles from "./Instance.module.css";

/** A secret that is shown here and never again. */
export function ShownOnce({ name, secret }: { name: string; secret: string }) {
  const t = useText();
  return (
    <>
      <p>{t("tokens.shown_once")}</p>
      <div className={styles.secret}>
        <code>{secret}</code>
        <CopyButton text={secret} name={name} />
      </div>
    </>
  );
}
