import { expect, it } from "vitest";

import { everyDay } from "./days";
import { atLimit, limitOf, monthSoFar } from "./limits";

const line = (date: string, tokens: number) => ({ id: String(Date.parse(date)), name: date, requests: 1, tokens });

it("fills the days between with nothing", () => {
  const days = everyDay([line("2030-01-01", 5), line("2030-01-08", 7)], Date.parse("2030-01-10T09:00:00Z"));
  expect(days).toHaveLength(10);
  expect(days[0]).toMatchObject({ date: "2030-01-01", tokens: 5 });
  expect(days[4]).toMatchObject({ date: "2030-01-05", requests: 0, tokens: 0 });
});

it("shows a week around a single day, and nothing of nothing", () => {
  expect(everyDay([line("2030-01-10", 7)], 0).map(({ date }) => date)[0]).toBe("2030-01-04");
  expect(everyDay([], 0)).toEqual([]);
});

it("adds up the month, and knows the limit that is a line and the one that is too far above", () => {
  const days = everyDay([line("2030-01-30", 5), line("2030-02-01", 7), line("2030-02-03", 1)], Date.parse("2030-02-03T09:00:00Z"));
  expect(monthSoFar(days).map(({ date, tokens }) => [date, tokens])).toEqual([["2030-02-01", 7], ["2030-02-02", 7], ["2030-02-03", 8]]);
  const quota = (limit: number | null, level: "team" | "org") => ({ dimension: "ai.tokens.total", level, used: 0, limit, remaining: null, window: "day" as const, resets_at: null });
  const quotas = [quota(40, "team"), quota(30, "org"), quota(null, "org")];
  expect(limitOf(quotas, "ai.tokens.total", "day", 7)).toEqual({ value: 30, isFar: false });
  expect(limitOf(quotas, "ai.tokens.total", "day", 5)?.isFar).toBe(true);
  expect(limitOf(quotas, "ai.requests", "day", 5)).toBeNull();
  expect(atLimit({ dimension: "storage.bytes", window: "none" })).toBe("usage.at_limit_storage");
});
