import { useText } from "@guildhall/console/i18n/texts";
import type { Message } from "./messages";
import { WordDifference } from "./WordDifference";
import styles from "./Localize.module.css";

/** What is to be translated; where it changed, what it was before and how it differs. */
export function SourceText({ message }: { message: Message }) {
  const t = useText();
  const { source, previous_source: before } = message;
  return (
    <div className={styles.source}>
      <h2 className={styles.label}>{t("l10n.source")}</h2>
      <p className={styles.message} lang="en" dir="ltr">
        {source}
      </p>
      {before !== null && before !== source && (
        <>
          <h3 className={styles.label}>{t("l10n.source_change")}</h3>
          <WordDifference before={before} after={source} lang="en" dir="ltr" />
        </>
      )}
    </div>
  );
}
