import { ArrowRight, TriangleAlert } from "lucide-react";
import { Link } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import styles from "./GlossaryHits.module.css";
import type { Translation } from "./useTranslation";

/** The words of the glossary that a translation kept to, and those that it did not. */
export function GlossaryHits({ result }: { result: Translation }) {
  const t = useText();
  if (result.glossary.length === 0) return null;
  const missed = new Set(result.missed.map(({ term }) => term));
  return (
    <div className={styles.hits}>
      <Link href={`/glossary?target=${encodeURIComponent(result.target)}`}>{t("glossary.hits", { count: result.glossary.length })}</Link>
      <ul className={styles.list} aria-label={t("nav.glossary")}>
        {result.glossary.map(({ term, translation }) => (
          <li key={term} className={styles.use} data-missed={missed.has(term) ? "" : undefined}>
            <bdi>{term}</bdi>
            {missed.has(term) ? <TriangleAlert size={12} aria-hidden="true" /> : <ArrowRight size={12} aria-hidden="true" />}
            <bdi>{missed.has(term) ? t("translate.missed", { translation }) : translation}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}
