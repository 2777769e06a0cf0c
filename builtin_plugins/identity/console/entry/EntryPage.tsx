import type { ReactNode } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { useInstance } from "@guildhall/console/instance";
import styles from "./EntryPage.module.css";
import { LanguageSwitch } from "./LanguageSwitch";

/** The page before one is in: how this place looks, and one form. */
export function EntryPage({ title, intro, children }: { title: string; intro?: string; children: ReactNode }) {
  const t = useText();
  const { branding, config } = useInstance();
  return (
    <div className={styles.page}>
      <header className={styles.brand}>
        {branding.logo && <img src={branding.logo} alt="" className={styles.logo} />}
        <div className={styles.names}>
          <span className={styles.name} dir="auto">
            {branding.title}
          </span>
          {branding.tagline && (
            <span className={styles.tagline} dir="auto">
              {branding.tagline}
            </span>
          )}
        </div>
      </header>
      <main className={styles.card}>
        <div>
          <h1>{title}</h1>
          {intro && <p className={styles.intro}>{intro}</p>}
        </div>
        {children}
      </main>
      <footer className={styles.foot}>
        <LanguageSwitch />
        <span>{t("nav.version", { version: config.version })}</span>
      </footer>
    </div>
  );
}
