/** The texts of the console in the language of its reader, from `GET /api/i18n/catalog`. */

import IntlMessageFormat from "intl-messageformat";
import { createContext, useContext, useMemo, type ReactNode } from "react";

export interface Catalog {
  locale: string;
  chain: string[];
  messages: Record<string, string>;
}

export type Values = Record<string, string | number | Date>;
export type Translate = (key: string, values?: Values) => string;

export interface Texts {
  locale: string;
  t: Translate;
  /** Whether there is such a text. */
  has: (key: string) => boolean;
}

export function makeTexts(catalog: Catalog): Texts {
  const compiled = new Map<string, IntlMessageFormat>();
  const t: Translate = (key, values) => {
    const message = catalog.messages[key];
    if (message === undefined) return key;
    // Most are what they say: nothing is to be put into them, and no apostrophe is one of ICU's.
    if (!/['{]/.test(message)) return message;
    let format = compiled.get(key);
    if (!format) {
      format = new IntlMessageFormat(message, catalog.locale, undefined, { ignoreTag: true });
      compiled.set(key, format);
    }
    return String(format.format(values));
  };
  return { locale: catalog.locale, t, has: (key) => key in catalog.messages };
}

const TextsContext = createContext<Texts | null>(null);

export function TextsProvider({ catalog, children }: { catalog: Catalog; children: ReactNode }) {
  const texts = useMemo(() => makeTexts(catalog), [catalog]);
  return <TextsContext value={texts}>{children}</TextsContext>;
}

export function useTexts(): Texts {
  const texts = useContext(TextsContext);
  if (!texts) throw new Error("useTexts outside of TextsProvider");
  return texts;
}

export const useText = (): Translate => useTexts().t;
