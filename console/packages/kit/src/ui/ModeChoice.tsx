import { Label, Radio, RadioGroup } from "react-aria-components";

import { useText } from "../i18n/texts";
import styles from "./BrandingEditor.module.css";

export type ThemeMode = "light" | "dark";

/** Whose colours are picked and shown. */
export function ModeChoice({ value, onChange }: { value: ThemeMode; onChange: (mode: ThemeMode) => void }) {
  const t = useText();
  return (
    <RadioGroup className={styles.modes} orientation="horizontal" value={value} onChange={(mode) => onChange(mode as ThemeMode)}>
      <Label className={styles.hidden}>{t("account.theme")}</Label>
      {(["light", "dark"] as const).map((mode) => (
        <Radio key={mode} value={mode} className={styles.mode}>
          {t(`branding.${mode}`)}
        </Radio>
      ))}
    </RadioGroup>
  );
}
