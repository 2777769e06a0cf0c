import { describe, expect, it } from "vitest";

import { latestByName, RunProgress, type StepEvent } from "./progress";
import { lengthInWords, type Run } from "./run";

const step = (name: string, more: Partial<StepEvent> = {}): StepEvent => ({
  number: 1,
  name,
  kind: "tool",
  state: "running",
  attempt: 1,
  input: null,
  output: null,
  error: null,
  started_at: "2026-01-01T00:00:00.000Z",
  finished_at: null,
  ...more,
});
const { number: _, ...known } = step("find", { input: { a: 1 } });
const run = { id: "run_1", state: "running", steps: [known] } as unknown as Run;

describe("RunProgress", () => {
  it("leaves a run alone that nothing was said of", () => {
    expect(new RunProgress().of(run)).toBe(run);
  });

  it("puts steps in the order of their numbers, whatever order they come in", () => {
    const progress = new RunProgress();
    progress.take(step("read", { number: 5, kind: "map", items: { total: 9, done: 2, failed: 0 } }));
    progress.take(step("find", { number: 1, state: "succeeded", output: { result: [1] } }));
    progress.take(step("read", { number: 5, kind: "map", items: { total: 9, done: 3, failed: 0 } }));
    const { steps } = progress.of(run);
    expect(steps.map(({ name }) => name)).toEqual(["find", "read"]);
    expect(steps[1]?.items).toEqual({ total: 9, done: 3, failed: 0 });
  });

  it("keeps the input that only the run itself has, and forgets the output of a step that begins again", () => {
    const progress = new RunProgress();
    progress.take(step("find", { state: "running" }));
    const again = { ...run, steps: [{ ...known, state: "failed", output: { result: "old" } }] } as Run;
    expect(progress.of(again).steps[0]).toMatchObject({ input: { a: 1 }, output: null });
  });

  it("tells steps of the same name apart, and shows the last of them", () => {
    const progress = new RunProgress();
    progress.take(step("find", { number: 1, state: "succeeded" }));
    progress.take(step("find", { number: 2 }));
    const { steps } = progress.of(run);
    expect(steps).toHaveLength(2);
    expect(latestByName(steps).get("find")?.state).toBe("running");
  });
});

describe("lengthInWords", () => {
  it.each([
    [420, "0.4s"],
    [12_000, "12s"],
    [185_000, "3m 5s"],
    [7_800_000, "2h 10m"],
  ])("%d ms is %s", (ms, words) => expect(lengthInWords(ms, "en")).toBe(words));
});
