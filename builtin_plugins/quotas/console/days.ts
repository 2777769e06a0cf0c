/** Days of usage without gaps: one on which nothing was used is a zero, and not left out. */

import type { UsedBy } from "@guildhall/console/ui/quotas";

export interface Day {
  date: string;
  at: number;
  requests: number;
  tokens: number;
}

const DAY_MS = 86_400_000;
const LEAST_DAYS = 7;

/** From the first day with a line to today, and at least a week, so that a chart has a shape. */
export function everyDay(lines: readonly UsedBy[], now: number): Day[] {
  if (lines.length === 0) return [];
  const known = new Map(lines.map((line) => [Number(line.id), line]));
  const last = Math.max(now - (now % DAY_MS), ...known.keys());
  const first = Math.min(last - (LEAST_DAYS - 1) * DAY_MS, ...known.keys());
  const days: Day[] = [];
  for (let at = first; at <= last; at += DAY_MS) {
    const { requests = 0, tokens = 0 } = known.get(at) ?? {};
    days.push({ date: new Date(at).toISOString().slice(0, 10), at, requests, tokens });
  }
  return days;
}
