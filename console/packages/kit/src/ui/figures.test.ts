import { expect, it } from "vitest";

import { amountWords, labelOf, sizeWords, total, type Metrics } from "./figures";

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

it.each([
  [0, "0 byte"],
  [1023, "1,023 byte"],
  [1536, "1.5 kB"],
  [107_374_182_400, "100 GB"],
])("%d is %s", (bytes, words) => expect(sizeWords(bytes, "en")).toBe(words));

it("writes bytes as a size and other figures as numbers", () => {
  expect(amountWords("storage.bytes", 2048, "en")).toBe("2 kB");
  expect(amountWords("ai.requests", 5000, "en")).toBe("5,000");
});
