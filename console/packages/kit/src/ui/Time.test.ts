import { expect, it } from "vitest";

import { relativeTime } from "./Time";

const now = new Date("2026-01-31T12:00:00Z");

it.each([
  ["2026-01-31T11:59:30Z", "now"],
  ["2026-01-31T11:58:00Z", "2 min. ago"],
  ["2026-01-30T12:00:00Z", "yesterday"],
  ["2026-02-01T12:00:00Z", "tomorrow"],
  ["2024-01-31T12:00:00Z", "2 yr. ago"],
])("%s is %s", (at, words) => expect(relativeTime(new Date(at), now, "en")).toBe(words));
