/** A cron expression in words, for the expressions that people write; of others the next times tell. */

import type { Translate } from "@guildhall/console/i18n/texts";

/** All values, each so-many-th, or these. */
type Field = { kind: "any" } | { kind: "step"; step: number } | { kind: "list"; values: number[] };

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
/** More times a day than this are not read one by one. */
const MOST_TIMES = 4;
const WORKDAYS = "1,2,3,4,5";

export function cronWords(expression: string, t: Translate, locale: string): string | null {
  const parts = expression.trim().toUpperCase().split(/\s+/);
  if (parts.length !== 5) return null;
  const [minute, hour] = [fieldOf(parts[0]!, 0, 59), fieldOf(parts[1]!, 0, 23)];
  const month = fieldOf(parts[3]!, 1, 12, MONTHS, 1);
  if (!minute || !hour || !month) return null;
  const time = timeWords(minute, hour, t, locale);
  const days = dayWords(parts[2]!, parts[4]!, t, locale);
  if (time === null || days === null) return null;
  const isOften = hour.kind !== "list";
  const found = [days || (isOften ? "" : t("schedules.every_day", { count: 1 })), time, monthWords(month, t, locale)];
  return capital(found.filter(Boolean).join(", "), locale);
}

function fieldOf(text: string, first: number, last: number, names: readonly string[] = [], base = 0): Field | null {
  if (text === "*" || text === "*/1") return { kind: "any" };
  const step = /^\*\/(\d+)$/.exec(text);
  // So many that do not come out even begin anew with each hour or day: their values say it.
  if (step && base === 0 && (last + 1 - first) % Number(step[1]) === 0) return { kind: "step", step: Number(step[1]) };
  const values = new Set<number>();
  for (const one of text.replace(/^\*/, `${first}-${last}`).split(",")) {
    const found = /^(\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(one);
    if (!found) return null;
    const from = valueOf(found[1]!, names, base);
    const to = found[2] ? valueOf(found[2], names, base) : found[3] ? last : from;
    const by = Number(found[3] ?? 1);
    if (!(from >= first && to <= last && from <= to && by > 0)) return null;
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return { kind: "list", values: [...values].sort((one, other) => one - other) };
}

function valueOf(text: string, names: readonly string[], base: number): number {
  const named = names.indexOf(text);
  if (named >= 0) return named + base;
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

function timeWords(minute: Field, hour: Field, t: Translate, locale: string): string | null {
  if (minute.kind === "list") {
    if (hour.kind === "list") return clockWords(minute.values, hour.values, t, locale);
    if (minute.values.length > 1) return null;
    const often = t("schedules.every_hour", { count: hour.kind === "step" ? hour.step : 1 });
    return minute.values[0] === 0 ? often : `${often}, ${t("schedules.at_minute", { minute: minute.values[0]! })}`;
  }
  const often = t("schedules.every_minute", { count: minute.kind === "step" ? minute.step : 1 });
  if (hour.kind === "any") return often;
  if (hour.kind === "step") return null;
  const [first, last] = [hour.values[0]!, hour.values.at(-1)!];
  if (last - first !== hour.values.length - 1) return null;
  return `${often}, ${t("schedules.between", { from: clock(first, 0, locale), to: clock(last, 59, locale) })}`;
}

function clockWords(minutes: number[], hours: number[], t: Translate, locale: string): string | null {
  const times = hours.flatMap((hour) => minutes.map((minute) => clock(hour, minute, locale)));
  return times.length > MOST_TIMES ? null : t("schedules.at_times", { times: listed(times, locale) });
}

/** Empty for every day; of two fields that both say something one is enough. */
function dayWords(date: string, weekday: string, t: Translate, locale: string): string | null {
  const dates = date === "L" ? t("schedules.on_last_day") : dateWords(fieldOf(date, 1, 31, [], 1), t, locale);
  const weekdays = weekdayWords(fieldOf(weekday, 0, 7, DAYS), t, locale);
  if (dates === null || weekdays === null) return null;
  // A star in one of the two has both to fit.
  if (dates && weekdays) return date.startsWith("*") || weekday.startsWith("*") ? null : t("schedules.either", { dates, weekdays });
  return dates || weekdays;
}

function dateWords(field: Field | null, t: Translate, locale: string): string | null {
  if (field?.kind !== "list") return field ? "" : null;
  const figures = new Intl.NumberFormat(locale);
  const days = listed(field.values.map((value) => figures.format(value)), locale);
  return t("schedules.on_dates", { days, count: field.values.length });
}

function weekdayWords(field: Field | null, t: Translate, locale: string): string | null {
  if (field?.kind !== "list") return field?.kind === "any" ? "" : null;
  const days = [...new Set(field.values.map((value) => value % 7))].sort((one, other) => ((one + 6) % 7) - ((other + 6) % 7));
  if (days.length === 7) return "";
  if (days.join() === WORKDAYS) return t("schedules.on_workdays", { first: weekdayName(1, locale), last: weekdayName(5, locale) });
  return t("schedules.on_days", { days: listed(days.map((day) => weekdayName(day, locale)), locale) });
}

function monthWords(field: Field, t: Translate, locale: string): string {
  if (field.kind !== "list" || field.values.length === 12) return "";
  const name = new Intl.DateTimeFormat(locale, { month: "long", timeZone: "UTC" });
  const months = field.values.map((month) => name.format(new Date(Date.UTC(2024, month - 1, 1))));
  return t("schedules.in_months", { months: listed(months, locale) });
}

/** The first Sunday of 2024 was the seventh of January. */
const weekdayName = (day: number, locale: string) =>
  new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" }).format(new Date(Date.UTC(2024, 0, 7 + day)));

const clock = (hour: number, minute: number, locale: string) =>
  new Intl.DateTimeFormat(locale, { timeStyle: "short", timeZone: "UTC" }).format(new Date(Date.UTC(2024, 0, 7, hour, minute)));

const listed = (items: readonly string[], locale: string) => new Intl.ListFormat(locale, { type: "conjunction" }).format(items);

export const capital = (text: string, locale: string) => text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);
