/** Quota rows of the API, and how their figures are said. */

import { DIMENSION_NAMES, type WINDOWS } from "./plans";

export { amountWords as figureOf } from "./figures";

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

/** The rows that are quotas: the same address answers lines of who used what, when asked. */
export const quotasOf = (items: readonly object[]): Quota[] => items.filter((item): item is Quota => "dimension" in item);

export function linesOf(items: readonly object[]): UsedBy[] {
  return items.filter((item): item is UsedBy => "requests" in item);
}

/** The key of a dimension's name; a plugin's dimension is called what it is. */
export const nameKeyOf = (dimension: string): string | null => DIMENSION_NAMES[dimension] ?? null;

/** How full it is, from 0 to 1; null where there is no limit. */
export function fillOf({ used, limit }: Quota): number | null {
  if (limit === null) return null;
  return limit === 0 ? 1 : Math.min(1, used / limit);
}
