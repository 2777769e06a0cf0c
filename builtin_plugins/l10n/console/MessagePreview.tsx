import { useMemo, useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { TextField } from "@guildhall/console/ui/TextField";
import { parse, pluralSamples, render, sampleOf } from "./icu";
import { useDirection } from "./languages";
import type { Message } from "./messages";
import styles from "./Localize.module.css";

/** How the text reads with sample values, for every plural form of its language. Nothing where it has no values. */
export function MessagePreview({ message, text }: { message: Message; text: string }) {
  const t = useText();
  const { source, locale } = message;
  const dir = useDirection()(locale);
  const wanted = useMemo(() => parse(source, "en"), [source]);
  const [samples, setSamples] = useState<Record<string, string>>({});
  const args = wanted.ok ? wanted.args : [];
  if (args.length === 0) return null;
  const counted = args.find(({ kind }) => kind === "plural");
  const shown = text.trim() === "" ? source : text;
  const isReadable = parse(shown, locale).ok;
  const lines = counted && isReadable
    ? [...new Set([...pluralSamples(locale).map(String), ...(samples[counted.name] ? [samples[counted.name] ?? ""] : [])])]
    : [null];
  return (
    <details className={styles.more} open>
      <summary>{t("notes.preview")}</summary>
      <div className={styles.samples}>
        {args.map((argument) => (
          <TextField
            key={argument.name}
            label={argument.name}
            value={samples[argument.name] ?? sampleOf(argument)}
            onChange={(value) => setSamples((before) => ({ ...before, [argument.name]: value }))}
          />
        ))}
      </div>
      <ul className={styles.lines} aria-label={t("notes.preview")}>
        {lines.map((number) => {
          const values = counted && number !== null ? { ...samples, [counted.name]: number } : samples;
          return (
            <li key={number ?? ""} lang={text.trim() === "" ? "en" : locale} dir={dir}>
              {counted && number !== null && <span className={styles.sample}>{`${counted.name} = ${number}`}</span>}
              <span>{render(shown, locale, values) ?? t("l10n.no_preview")}</span>
            </li>
          );
        })}
      </ul>
    </details>
  );
}
