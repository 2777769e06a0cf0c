/** What limits mean for a chart by the day, and what happens at them. */

import type { Quota } from "@guildhall/console/ui/quotas";
import type { Day } from "./days";

/** Above this many times what was used, a line would make all else invisible. */
const VISIBLE = 5;

export interface DrawnLimit {
  value: number;
  /** It is so high above what was used that it is said, and not drawn. */
  isFar: boolean;
}

/** The limit of a dimension in a window, for bars of which the highest is `most`. */
export function limitOf(quotas: readonly Quota[], dimension: string, window: Quota["window"], most: number): DrawnLimit | null {
  const limits = quotas.flatMap((quota) => (quota.dimension === dimension && quota.window === window && quota.limit !== null ? [quota.limit] : []));
  if (limits.length === 0) return null;
  const value = Math.min(...limits);
  return { value, isFar: value > VISIBLE * Math.max(1, most) };
}

/** Days of the month of the last one, each with all that was used since its first. */
export function monthSoFar(days: readonly Day[]): Day[] {
  const month = days.at(-1)?.date.slice(0, 7);
  let [requests, tokens] = [0, 0];
  return days
    .filter(({ date }) => date.startsWith(month ?? "-"))
    .map((day) => ({ ...day, requests: (requests += day.requests), tokens: (tokens += day.tokens) }));
}

/** The key of the words for what happens at a limit. */
export function atLimit({ dimension, window }: Pick<Quota, "dimension" | "window">): string {
  if (dimension === "jobs.concurrency") return "usage.at_limit_jobs";
  if (dimension.endsWith(".concurrency")) return "usage.at_limit_concurrency";
  if (dimension === "storage.bytes") return "usage.at_limit_storage";
  return window === "none" ? "usage.at_limit_stock" : "usage.at_limit_rate";
}
