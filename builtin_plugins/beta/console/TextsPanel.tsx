import { useRef, useState } from "react";

import { useLanguageName } from "@guildhall/console/i18n/languageName";
import { useTexts } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Panel } from "@guildhall/console/ui/Panel";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { textKeys, withLanguageBack, withText, type Copy, type Document } from "./experience";
import { faultOf } from "./faults";
import styles from "./Beta.module.css";

const LONG = new Set(["subtitle", "form_note", "privacy", "thanks", "footer"]);

interface TextsPanelProps {
  document: Document;
  onChange: (copy: Copy) => void;
  fault: (pointer: string) => string | undefined;
}

/** What the page says, one language at a time; what is left empty comes from the language behind it. */
export function TextsPanel({ document, onChange, fault }: TextsPanelProps) {
  const { t, has } = useTexts();
  const nameOf = useLanguageName();
  const announce = useAnnounce();
  const { copy } = document;
  const locales = Object.keys(copy);
  const [chosen, setChosen] = useState<string | null>(null);
  const locale = chosen !== null && chosen in copy ? chosen : (locales[0] ?? "en");
  const [tag, setTag] = useState("");
  const keys = textKeys(document);
  const latest = useRef(copy);
  latest.current = copy;
  function remove() {
    onChange(Object.fromEntries(Object.entries(copy).filter(([one]) => one !== locale)));
    announce(t("funnel.language_removed", { name: nameOf(locale) }), () => {
      onChange(withLanguageBack(latest.current, copy, locale));
      setChosen(locale);
    });
  }
  const fallback = (key: string) => copy.en?.[key] ?? copy[locales[0] ?? "en"]?.[key] ?? "";
  const field = (key: string) => {
    const name = `funnel.text_${key}`;
    return (
      <TextField
        key={`${locale}-${key}`}
        label={has(name) ? t(name) : key}
        value={copy[locale]?.[key] ?? ""}
        onChange={(text) => onChange(withText(copy, locale, key, text))}
        {...(LONG.has(key) && { rows: 3 })}
        {...(copy[locale]?.[key] === undefined && locale !== "en" && fallback(key) && { help: fallback(key) })}
        {...faultOf(fault(`/copy/${locale}/${key}`))}
      />
    );
  };
  return (
    <Panel
      title={t("funnel.copy")}
      actions={
        <div className={styles.languages}>
          <Select
            label={t("account.language")}
            isLabelHidden
            options={locales.map((id) => ({ id, name: nameOf(id) }))}
            value={locale}
            onChange={setChosen}
          />
          {locales.length > 1 && (
            <Button
              kind="quiet"
              aria-label={t("action.remove_named", { name: nameOf(locale) })}
              onPress={remove}
            >
              {t("action.remove")}
            </Button>
          )}
        </div>
      }
    >
      {fault(`/copy/${locale}`) && <p className={styles.fault}>{fault(`/copy/${locale}`)}</p>}
      {keys.page.map(field)}
      <details className={styles.more}>
        <summary>{t("funnel.points")}</summary>
        <div className={styles.stack}>{POINTS.map(field)}</div>
      </details>
      <details className={styles.more}>
        <summary>{t("funnel.form_texts")}</summary>
        <div className={styles.stack}>{keys.form.map(field)}</div>
      </details>
      {keys.other.filter((key) => !POINTS.includes(key)).length > 0 && (
        <details className={styles.more}>
          <summary>{t("funnel.other_texts")}</summary>
          <div className={styles.stack}>{keys.other.filter((key) => !POINTS.includes(key)).map(field)}</div>
        </details>
      )}
      <Form
        name="page-language"
        className={styles.inline}
        onSubmit={() => {
          if (tag.trim() in copy) return;
          onChange({ ...copy, [tag.trim()]: {} });
          setChosen(tag.trim());
          setTag("");
        }}
      >
        <TextField label={t("funnel.add_language")} isRequired value={tag} onChange={setTag} {...faultOf(tag.trim() in copy ? t("funnel.has_language") : undefined)} />
        <Button type="submit">{t("funnel.add")}</Button>
      </Form>
    </Panel>
  );
}

const POINTS = [1, 2, 3, 4, 5, 6].flatMap((number) => [`point_${number}_title`, `point_${number}`]);
