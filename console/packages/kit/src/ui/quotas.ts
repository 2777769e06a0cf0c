/** Quota rows of the API, and how their figures are said. */

import type { WINDOWS } from "./plans";

export interface Quota {
  dimension: string;
  level: "team" | "org";
  used: number;
  limit: number | null;
  remaining: number | null;
  window: (typeof WINDOWS)[number];
  resets_at: string | null;
}

export interface UsedBy {
  id: string;
  name: string;
  requests: number;
  tokens: number;
}

const NAMES: Record<string, string> = {
  "ai.requests": "usage.ai_requests",
  "ai.tokens.total": "usage.ai_tokens",
  "ai.concurrency": "usage.ai_concurrency",
  "jobs.concurrency": "usage.jobs_concurrency",
  "storage.bytes": "usage.storage",
};
const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;
const STEP = 1024;
const DIGITS = 1;

/** The rows that are quotas: the same address answers lines of who used what, when asked. */
export function quotasOf(items: readonly object[]): Quota[] {
  return items.filter((item): item is Quota => "dimension" in item);
}

export function linesOf(items: readonly object[]): UsedBy[] {
  return items.filter((item): item is UsedBy => "requests" in item);
}

/** The key of a dimension's name; a plugin's dimension is called what it is. */
export const nameKeyOf = (dimension: string): string | null => NAMES[dimension] ?? null;

export function figureOf(dimension: string, amount: number, locale: string): string {
  if (!dimension.endsWith(".bytes")) return new Intl.NumberFormat(locale).format(amount);
  const step = amount > 0 ? Math.min(UNITS.length - 1, Math.floor(Math.log(amount) / Math.log(STEP))) : 0;
  const format = new Intl.NumberFormat(locale, { style: "unit", unit: UNITS[step], unitDisplay: "short", maximumFractionDigits: DIGITS });
  return format.format(amount / STEP ** step);
}

/** How full it is, from 0 to 1; null where there is no limit. */
export function fillOf({ used, limit }: Quota): number | null {
  if (limit === null) return null;
  return limit === 0 ? 1 : Math.min(1, used / limit);
}
