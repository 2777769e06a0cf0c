import { expect, it } from "vitest";

import { figureOf, fillOf, type Quota } from "./quotas";

const quota = (used: number, limit: number | null): Quota => ({
  dimension: "ai.requests", level: "team", used, limit, remaining: null, window: "day", resets_at: null,
});

it("says bytes in the unit that people read", () => {
  expect(figureOf("storage.bytes", 0, "en")).toBe("0 byte");
  expect(figureOf("storage.bytes", 107_374_182_400, "en")).toBe("100 GB");
  expect(figureOf("ai.requests", 5000, "en")).toBe("5,000");
});

it("is full at its limit, and has no fill without one", () => {
  expect(fillOf(quota(1, 4))).toBe(0.25);
  expect(fillOf(quota(9, 4))).toBe(1);
  expect(fillOf(quota(0, 0))).toBe(1);
  expect(fillOf(quota(9, null))).toBeNull();
});
