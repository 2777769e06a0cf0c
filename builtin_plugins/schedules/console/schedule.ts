/** Schedules as the API shows them, and as the form has them. */

import type { paths } from "@guildhall/console/api/schema";

export type SchedulePageData = paths["/api/schedules"]["get"]["responses"]["200"]["content"]["application/json"];
export type Schedule = SchedulePageData["items"][number];
export type ScheduleBody = NonNullable<paths["/api/schedules"]["post"]["requestBody"]>["content"]["application/json"];
export type Missed = Schedule["missed"];
export type Overlap = Schedule["overlap"];

export const MISSED: readonly Missed[] = ["last", "all", "none"];
export const OVERLAPS: readonly Overlap[] = ["skip", "queue", "cancel"];
/** What somebody begins with who does not know cron: weekdays, each day, each week, each month. */
export const SUGGESTED = ["0 8 * * MON-FRI", "0 3 * * *", "0 9 * * MON", "0 6 1 * *"] as const;

/** The units of an interval, in seconds, longest first. */
export const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;
export type Unit = (typeof UNITS)[number][0];

/** An interval in the longest unit that it is a whole number of. */
export function inUnits(seconds: number): { count: number; unit: Unit } {
  const [unit, length] = UNITS.find(([, each]) => seconds % each === 0) ?? UNITS[3];
  return { count: seconds / length, unit };
}

/** The seconds of what was typed, or null where it is no whole number of them. */
export function secondsOf(count: string, unit: Unit): number | null {
  const length = UNITS.find(([name]) => name === unit)?.[1] ?? 1;
  const seconds = Number(count.trim().replace(",", ".")) * length;
  return count.trim() !== "" && Number.isSafeInteger(seconds) && seconds > 0 ? seconds : null;
}

/** Whether it comes with a plugin, and nobody of the team has turned it on yet. */
export const isOffered = (schedule: Schedule): boolean => schedule.source !== null && schedule.owner === null;

/** The zones that a schedule can go by: here and UTC first. */
export function timeZones(current: string, here = new Intl.DateTimeFormat().resolvedOptions().timeZone): string[] {
  return [...new Set([current, here, "UTC", ...Intl.supportedValuesOf("timeZone")].filter(Boolean))];
}
