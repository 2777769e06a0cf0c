import { expect, it } from "vitest";

import { everyDay } from "./days";

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
