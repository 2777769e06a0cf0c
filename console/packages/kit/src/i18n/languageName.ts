import { useCallback } from "react";

import { useTexts } from "./texts";

/** The name of a language in the reader's own, its tag where there is none. */
export function useLanguageName(): (tag: string) => string {
  const { locale } = useTexts();
  return useCallback(
    (tag: string) => {
      try {
        return new Intl.DisplayNames([locale], { type: "language", fallback: "code" }).of(tag) ?? tag;
      } catch {
        return tag;
      }
    },
    [locale],
  );
}
