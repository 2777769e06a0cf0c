/** Figures as people write them. */

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte", "petabyte"] as const;

/** A size as people say it: 1,024 of each unit make the next. */
export function sizeWords(bytes: number, locale: string): string {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const unit = UNITS[power] ?? "byte";
  const digits = power === 0 ? 0 : 1;
  return new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: digits }).format(bytes / 1024 ** power);
}

/** A figure of a dimension: bytes as a size, anything else as a number. */
export function amountWords(dimension: string, amount: number, locale: string): string {
  return dimension.endsWith(".bytes") ? sizeWords(amount, locale) : new Intl.NumberFormat(locale).format(amount);
}
