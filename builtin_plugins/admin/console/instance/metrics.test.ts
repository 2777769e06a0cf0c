import { expect, it } from "vitest";

import { activityOf, labelOf, total, type Metrics } from "./metrics";

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

it("puts together what one plugin has done", () => {
  const counter = (name: string, samples: [Record<string, string>, number][]) => ({
    name: `guildhall_plugin_${name}_total`,
    type: "counter",
    help: "",
    samples: samples.map(([labels, value]) => ({ labels, value })),
  });
  const metrics = [
    counter("requests", [
      [{ plugin: "shelf", outcome: "answered" }, 3],
      [{ plugin: "shelf", outcome: "failed" }, 1],
      [{ plugin: "notes", outcome: "answered" }, 9],
    ]),
    counter("request_seconds", [[{ plugin: "shelf" }, 0.2]]),
    counter("job_attempts", [[{ plugin: "shelf", outcome: "succeeded" }, 2]]),
  ] as unknown as Metrics;
  expect(activityOf(metrics, "shelf")).toEqual({ calls: 4, refused: 0, failed: 1, meanMs: 50, jobs: 2, failedJobs: 0 });
  expect(activityOf(metrics, "quiet")).toMatchObject({ calls: 0, meanMs: null });
});
