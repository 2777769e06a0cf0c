/** Figures of an instance from its metrics, and how they are written. */

import type { paths } from "../api/schema";

export type Metrics = paths["/api/metrics"]["get"]["responses"]["200"]["content"]["application/json"]["items"];

/** The sum of a metric over its samples, or over those with these labels. */
export function total(metrics: Metrics, name: string, labels: Record<string, string> = {}): number {
  const family = metrics.find((one) => one.name === `guildhall_${name}`);
  const wanted = Object.entries(labels);
  return (family?.samples ?? [])
    .filter((sample) => wanted.every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, sample) => sum + sample.value, 0);
}

/** A label that a metric carries, such as the dialect of the database. */
export function labelOf(metrics: Metrics, name: string, label: string): string | undefined {
  const family = metrics.find((one) => one.name === `guildhall_${name}`);
  const value: unknown = family?.samples[0]?.labels[label];
  return typeof value === "string" ? value : undefined;
}

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
