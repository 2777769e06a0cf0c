import { useText } from "@guildhall/console/i18n/texts";
import styles from "./EntryPage.module.css";
import { useLanguages } from "@guildhall/console/i18n/languages";

/** The languages by their own names: the browser's own control, so that the first page stays light. */
export function LanguageSwitch() {
  const t = useText();
  const { locale, options, choose } = useLanguages();
  if (options.length === 0) return null;
  return (
    <select aria-label={t("account.language")} className={styles.language} value={locale} onChange={(event) => choose(event.target.value)}>
      {options.map(({ id, name }) => (
        <option key={id} value={id} lang={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
