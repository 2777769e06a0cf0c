import { expect, it } from "vitest";

import { lanesOf } from "./lanes";

const span = (id: string, from: number, until: number | null) => ({
  ...{ id, name: id, state: "running" },
  from: new Date(from * 60_000).toISOString(),
  until: until === null ? null : new Date(until * 60_000).toISOString(),
});

it("puts what runs at once into lanes of its own, and what goes on ends now", () => {
  const { bars, lanes } = lanesOf([span("b", 5, null), span("a", 0, 6), span("c", 7, 8)], 10 * 60_000);
  expect(bars.map(({ id, start, length, lane }) => [id, start, length, lane])).toEqual([
    ["a", 0, 0.6, 0],
    ["b", 0.5, 0.5, 1],
    ["c", 0.7, expect.closeTo(0.1), 0],
  ]);
  expect(lanes).toBe(2);
});

it("shows what took no time, within the whole, and no more lanes than have room", () => {
  const many = Array.from({ length: 30 }, (_, number) => span(`s${number}`, 9, 9));
  const { bars, lanes } = lanesOf([span("a", 0, 9), ...many], 0);
  expect(lanes).toBe(8);
  expect(Math.max(...bars.map(({ start, length }) => start + length))).toBeLessThanOrEqual(1);
});
