import type { CSSProperties } from "react";

import { useTexts } from "@guildhall/console/i18n/texts";
import type { Theme } from "@guildhall/console/theme/apply";
import { COLOURS, isColour } from "@guildhall/console/theme/contrast";
import styles from "./BrandingPreview.module.css";
import type { ThemeMode } from "@guildhall/console/ui/ModeChoice";

interface BrandingPreviewProps {
  title: string;
  tagline: string;
  logo: string | null;
  palette: Theme;
  mode: ThemeMode;
}

/** The console in small, in colours that are not saved yet. */
export function BrandingPreview({ title, tagline, logo, palette, mode }: BrandingPreviewProps) {
  const { t, has } = useTexts();
  // Places as people know them, of what is here.
  const [here, ...others] = ["nav.notes", "nav.files", "nav.chat"].filter(has);
  return (
    <div role="img" className={styles.preview} style={tokensOf(palette, mode)} aria-label={t("branding.preview", { mode: t(`branding.${mode}`) })}>
      <div className={styles.side}>
        <div className={styles.brand} dir="auto">
          {logo ? <img src={logo} alt="" className={styles.logo} /> : title}
        </div>
        {here && <div className={styles.here}>{t(here)}</div>}
        {others.map((place) => (
          <div key={place} className={styles.item}>
            {t(place)}
          </div>
        ))}
      </div>
      <div className={styles.main}>
        <div className={styles.heading} dir="auto">
          {title}
        </div>
        <div className={styles.muted} dir="auto">
          {tagline}
        </div>
        <div className={styles.card}>
          <span>{t("home.start_file")}</span>
          <span className={styles.muted}>{t("home.start_file_text")}</span>
        </div>
        <div className={styles.field}>{t("form.optional")}</div>
        <div className={styles.buttons}>
          <span className={styles.primary}>{t("action.save")}</span>
          <span className={styles.danger}>{t("action.delete")}</span>
          <span className={styles.link}>{t("action.learn_more")}</span>
        </div>
      </div>
    </div>
  );
}

function tokensOf(palette: Theme, mode: ThemeMode): CSSProperties {
  const prefix = mode === "dark" ? "dark-" : "";
  const tokens = COLOURS.flatMap((token) => {
    const value = palette[prefix + token];
    return isColour(value) ? [[`--${token}`, value]] : [];
  });
  return Object.fromEntries([...tokens, ["--radius", `${Number(palette.radius)}px`]]) as CSSProperties;
}
