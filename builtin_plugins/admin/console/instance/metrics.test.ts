import { expect, it } from "vitest";

import { labelOf, total, type Metrics } from "./metrics";

const METRICS = [
  {
    name: "guildhall_jobs",
    type: "gauge",
    help: "",
    samples: [
      { labels: { kind: "a", state: "queued" }, value: 2 },
      { labels: { kind: "b", state: "queued" }, value: 3 },
      { labels: { kind: "b", state: "running" }, value: 1 },
    ],
  },
  { name: "guildhall_database_size_bytes", type: "gauge", help: "", samples: [{ labels: { dialect: "sqlite" }, value: 9 }] },
] as unknown as Metrics;

it("adds a metric up by its labels", () => {
  expect(total(METRICS, "jobs")).toBe(6);
  expect(total(METRICS, "jobs", { state: "queued" })).toBe(5);
  expect(total(METRICS, "nothing")).toBe(0);
  expect(labelOf(METRICS, "database_size_bytes", "dialect")).toBe("sqlite");
});
