import { expect, test } from "vitest";

import { groupFailures, type FailedRun } from "./failedRuns";

const since = new Date("2026-01-01T00:00:00Z");
const failed = (id: string, at: string, more: Partial<FailedRun> = {}): FailedRun => ({
  id,
  workflow: { slug: "pack" },
  error: { code: "user_error", message: "No paper" },
  created_by: "me",
  created_at: at,
  finished_at: at,
  ...more,
});
const runs = [
  failed("run_4", "2026-01-05T00:00:00Z", { created_by: "other" }),
  failed("run_3", "2026-01-04T00:00:00Z"),
  failed("run_2", "2026-01-03T00:00:00Z", { error: { code: "timeout", message: null } }),
  failed("run_1", "2026-01-02T00:00:00Z"),
  failed("run_0", "2025-12-02T00:00:00Z"),
];

test("one's own that failed alike are one line, and the newest comes first", () => {
  const groups = groupFailures(runs, "me", since, {});
  expect(groups.map(({ newest, count, words }) => [newest, count, words])).toEqual([
    ["run_3", 2, "No paper"],
    ["run_2", 1, "timeout"],
  ]);
});

test("what was dismissed comes back when it fails again", () => {
  const [first] = groupFailures(runs, "me", since, {});
  const dismissed = { [first!.key]: first!.at };
  expect(groupFailures(runs, "me", since, dismissed).map(({ newest }) => newest)).toEqual(["run_2"]);
  const again = [failed("run_9", "2026-01-06T00:00:00Z"), ...runs];
  expect(groupFailures(again, "me", since, dismissed).map(({ newest, count }) => [newest, count])[0]).toEqual(["run_9", 1]);
});
