/** Languages by name, and which of them one works in. */

import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";

import { useLanguageName } from "@guildhall/console/i18n/languageName";
import { useInstance } from "@guildhall/console/instance";
import { useIdentity } from "@guildhall/console/session/identity";
import type { Option } from "@guildhall/console/ui/Select";
import { loadCoverage, type Coverage } from "./messages";

export const COVERAGE_KEY = ["l10n", "coverage"] as const;

export function useCoverage() {
  return useQuery({ queryKey: COVERAGE_KEY, queryFn: loadCoverage });
}

export function useLanguageOptions(coverage: readonly Coverage[] | undefined): Option[] {
  const nameOf = useLanguageName();
  return (coverage ?? []).map(({ locale }) => ({ id: locale, name: `${nameOf(locale)} (${locale})` }));
}

/** What is asked for, else one's own language, else the first that `wants` work. */
export function useWorkingLocale(
  asked: string | undefined,
  coverage: readonly Coverage[] | undefined,
  wants: (one: Coverage) => boolean,
): string | null {
  const { locale } = useIdentity();
  const there = (tag: string | null | undefined) => coverage?.find((one) => one.locale === tag)?.locale;
  return there(asked) ?? there(coverage?.find((one) => one.locale === locale && wants(one))?.locale) ?? coverage?.find(wants)?.locale ?? coverage?.[0]?.locale ?? null;
}

/** In which direction a language is written. */
export function useDirection(): (locale: string) => "ltr" | "rtl" {
  const { config } = useInstance();
  return useCallback(
    (locale: string) => {
      const known = config.localization.locales.find(({ code }) => code === locale)?.dir;
      if (known) return known === "rtl" ? "rtl" : "ltr";
      return RIGHT_TO_LEFT.has(new Intl.Locale(locale).maximize().script ?? "") ? "rtl" : "ltr";
    },
    [config],
  );
}

const RIGHT_TO_LEFT = new Set(["Arab", "Hebr", "Thaa", "Syrc", "Nkoo", "Adlm", "Rohg", "Mand", "Samr"]);
