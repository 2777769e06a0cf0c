import { Download } from "lucide-react";

import { useText } from "@guildhall/console/i18n/texts";
import { useInstance } from "@guildhall/console/instance";
import { Button } from "@guildhall/console/ui/Button";
import { CopyButton } from "@guildhall/console/ui/CopyButton";
import { downloadText } from "@guildhall/console/ui/download";
import styles from "./Account.module.css";

/** The codes, shown once: to copy or to keep as a file. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const t = useText();
  const { branding } = useInstance();
  const text = codes.join("\n");
  return (
    <>
      <p className={styles.note}>{t("account.recovery_help")}</p>
      <ul className={styles.codes} aria-label={t("account.recovery_codes")}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className={styles.line}>
        <CopyButton text={text} name={t("account.recovery_codes")} />
        <Button onPress={() => downloadText("recovery-codes.txt", `${branding.title}\n${location.origin}\n\n${text}\n`)}>
          <Download size={16} aria-hidden="true" />
          {t("action.download")}
        </Button>
      </div>
    </>
  );
}
