import { useTexts } from "../i18n/texts";

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

// Dear to make, and a long list asks for one in every row.
const relative = new Map<string, Intl.RelativeTimeFormat>();
const exact = new Map<string, Intl.DateTimeFormat>();

function cached<Format>(formats: Map<string, Format>, locale: string, make: () => Format): Format {
  const found = formats.get(locale) ?? make();
  formats.set(locale, found);
  return found;
}

/** How long ago, in few words, as it stands in rows, or in whole ones for a sentence; "now" within a minute. */
export function relativeTime(at: Date, now: Date, locale: string, style: "short" | "long" = "short"): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  const format = cached(relative, `${locale} ${style}`, () => new Intl.RelativeTimeFormat(locale, { numeric: "auto", style }));
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit);
  }
  return format.format(0, "second");
}

/** A moment as people say it, with the exact one on hover. */
export function Time({ at }: { at: string }) {
  const { locale } = useTexts();
  const date = new Date(at);
  const format = cached(exact, locale, () => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }));
  return (
    <time dateTime={at} title={format.format(date)}>
      {relativeTime(date, new Date(), locale)}
    </time>
  );
}
