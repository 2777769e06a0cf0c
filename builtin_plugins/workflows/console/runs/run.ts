/** Runs as the API shows them, and how the console names their parts. */

import type { paths } from "@guildhall/console/api/schema";

export type Run = paths["/api/runs/{id}"]["get"]["responses"]["200"]["content"]["application/json"];
export type RunStep = Run["steps"][number];
export type RunState = Run["state"];

export const RUN_STATES: readonly RunState[] = ["running", "succeeded", "failed", "cancelled"];

/** Whether the inputs and outputs of a run are for this reader: others see states, times and codes. */
export function hasContents(run: Run): boolean {
  return run.input !== null;
}

/** Which step is open: the one that the address names by its number, or what a failed run failed at. */
export function placeOf(run: Pick<Run, "state" | "steps">, named: string | undefined): number {
  if (named === undefined) return run.state === "failed" ? run.steps.findLastIndex(({ state }) => state === "failed") : -1;
  return run.steps.length >= Number(named) ? Number(named) - 1 : -1;
}

/** The key of the words for an output that is not there. */
export function noOutput(state: RunStep["state"]): string {
  if (state === "running" || state === "waiting") return "runs.not_yet";
  return state === "succeeded" ? "runs.not_shown" : "runs.gave_nothing";
}

/** How long something took or takes, in milliseconds. */
export function tookMs({ from, until }: { from: string; until: string | null }, now: number): number {
  return Math.max(0, (until === null ? now : Date.parse(until)) - Date.parse(from));
}

/** A length of time as people read it: 0.4 s, 12 s, 3 min 5 s, 2 h 10 min. */
export function lengthInWords(ms: number, locale: string): string {
  const seconds = ms / 1000;
  if (seconds < 10) return part(Math.round(seconds * 10) / 10, "second", locale);
  const whole = Math.round(seconds);
  if (whole < 60) return part(whole, "second", locale);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return both([minutes, "minute"], [whole % 60, "second"], locale);
  return both([Math.floor(minutes / 60), "hour"], [minutes % 60, "minute"], locale);
}

type Part = [number, "hour" | "minute" | "second"];

function both(first: Part, second: Part, locale: string): string {
  return second[0] === 0 ? part(...first, locale) : `${part(...first, locale)} ${part(...second, locale)}`;
}

function part(value: number, unit: Part[1], locale: string): string {
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "narrow" }).format(value);
}
