import { Link } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { addressAt } from "@guildhall/console/ui/place";
import type { Citation } from "./conversation";
import styles from "./Citations.module.css";
import { shownValue } from "./shownValue";

const PATHS: Record<string, string> = { object: "/files/", note: "/notes/" };

/** What an answer rests on: each source with its words, which opens where it is kept. */
export function Citations({ citations }: { citations: readonly Citation[] }) {
  const t = useText();
  if (citations.length === 0) return null;
  return (
    <ol className={styles.citations} aria-label={t("chat.sources")}>
      {citations.map((citation) => (
        <li key={citation.n} value={citation.n}>
          <Source citation={citation} />
        </li>
      ))}
    </ol>
  );
}

function Source({ citation }: { citation: Citation }) {
  const t = useText();
  if (citation.id === null || citation.quote === null) return <span className={styles.gone}>{t("chat.source_gone")}</span>;
  const { type, id, title, key, place, quote } = citation;
  const name = shownValue(title || key || id);
  const path = PATHS[type];
  const where = [place.heading, place.sheet, place.page && t("chat.page", { page: place.page }), !place.heading && place.line && t("chat.line", { line: place.line })].filter(Boolean).join(", ");
  return (
    <details>
      <summary>
        <span dir="auto">{name}</span>
        {where && <span className={styles.where}> {where}</span>}
      </summary>
      <blockquote dir="auto">{quote}</blockquote>
      {path && <Link href={addressAt(`${path}${encodeURIComponent(id)}`, place, type === "object" ? citation.version : undefined)}>{t("chat.open_passage")}</Link>}
    </details>
  );
}
