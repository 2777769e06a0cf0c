import { describe, expect, it } from "vitest";

import { draftAll } from "./draftAll";

function drafting(states: (id: string) => string) {
  let batches = 0;
  const done: number[] = [];
  const queue = async () => ({ jobs: [`${++batches}a`, `${batches}b`], remaining: 2 });
  const ended = async (id: string) => {
    const state = states(id);
    return { state, error: state === "failed" ? { message: "No model answered." } : null };
  };
  const run = (total: number) => draftAll(total, { queue, ended, onDone: (count) => done.push(count), onBatch: () => undefined });
  return { run, done, batches: () => batches };
}

describe("draftAll", () => {
  it("stops with the reason when nothing of a batch could be drafted", async () => {
    const { run, batches } = drafting(() => "failed");
    await expect(run(100)).rejects.toThrow("No model answered.");
    expect(batches()).toBe(1);
  });

  it("asks for no more than was missing, though some fail each time", async () => {
    const { run, done, batches } = drafting((id) => (id.endsWith("a") ? "succeeded" : "failed"));
    await run(6);
    expect([batches(), done]).toEqual([3, [1, 2, 3, 4, 5, 6]]);
  });

  it("ends where nobody looks on any more", async () => {
    let batches = 0;
    const queue = async () => ({ jobs: [String(++batches)], remaining: 5 });
    await draftAll(10, { queue, ended: async () => null, onDone: () => undefined, onBatch: () => undefined });
    expect(batches).toBe(1);
  });
});
