/** Languages to choose from, by their name in the reader's own. */

import type { Option } from "@guildhall/console/ui/Select";

const COMMON = [
  "ar", "bg", "ca", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "he", "hi", "hr", "hu", "id", "is", "it", "ja",
  "ko", "lt", "lv", "nb", "nl", "pl", "pt", "pt-BR", "ro", "ru", "sk", "sl", "sr", "sv", "th", "tr", "uk", "vi", "zh",
  "zh-Hant",
];

export function languageName(tag: string, locale: string): string {
  try {
    return new Intl.DisplayNames([locale], { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** The common ones and those that are used here already, by name. */
export function languageOptions(locale: string, used: readonly string[] = []): Option[] {
  const names = new Intl.Collator(locale);
  return [...new Set([...COMMON, ...used])]
    .map((id) => ({ id, name: languageName(id, locale) }))
    .sort((one, other) => names.compare(one.name, other.name));
}
