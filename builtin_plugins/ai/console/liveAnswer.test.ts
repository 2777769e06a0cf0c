import { beforeEach, describe, expect, it, vi } from "vitest";

import { LiveAnswer } from "./liveAnswer";

let frames: (() => void)[] = [];
beforeEach(() => {
  frames = [];
  vi.stubGlobal("requestAnimationFrame", (callback: () => void) => frames.push(callback));
  vi.stubGlobal("cancelAnimationFrame", () => (frames = []));
});
const event = (name: string, value: unknown) => ({ id: null, event: name, data: JSON.stringify(value) });
const delta = (text: string) => event("delta", { text });

describe("LiveAnswer", () => {
  it("draws once a frame, whatever came in it", () => {
    const answer = new LiveAnswer();
    const drawn = vi.fn();
    answer.subscribe(drawn);
    "one two three".split(" ").forEach((word) => answer.take(delta(`${word} `)));
    expect([frames.length, drawn.mock.calls.length, answer.parts.length]).toEqual([1, 0, 0]);
    frames.pop()?.();
    expect(drawn).toHaveBeenCalledTimes(1);
    const open = { text: "one two three ", continues: false };
    expect(answer.parts).toEqual([{ kind: "text", sections: [], open, isCutShort: false }]);
  });

  it("keeps words and tools in their order", () => {
    const answer = new LiveAnswer();
    const step = { tool: "shout", arguments: { text: "a" }, result: "A" };
    answer.take(delta("Let me see."));
    answer.take(event("step", step));
    answer.take(delta("It is A."));
    const done = answer.take(event("done", { reply: "It is A.", model: "m", simulated: false, stopped: "max_steps" }));
    expect(done).toEqual({ state: "done", model: "m", simulated: false, limit: "max_steps" });
    expect(answer.kept()).toEqual([
      { kind: "text", text: "Let me see." },
      { kind: "step", step },
      { kind: "text", text: "It is A." },
    ]);
  });

  it("keeps what came before an error", () => {
    const answer = new LiveAnswer();
    answer.take(delta("half"));
    const problem = { title: "Bad gateway", status: 502, detail: "", code: "model_unavailable" };
    expect(answer.take(event("error", problem))).toEqual({ state: "failed", problem: { body: problem, retryAfter: null } });
    expect(answer.kept()).toEqual([{ kind: "text", text: "half" }]);
  });

  it("tells while a document is read, until the first words", () => {
    const answer = new LiveAnswer();
    const told = vi.fn();
    answer.subscribe(told);
    answer.take(event("status", { type: "status", text: "reading" }));
    expect([answer.isReading, told.mock.calls.length]).toEqual([true, 1]);
    answer.take(delta("It says"));
    expect([answer.isReading, told.mock.calls.length]).toEqual([false, 2]);
  });

  it("says that the answer was cut at its length", () => {
    expect(new LiveAnswer().take(event("done", { finish_reason: "length" }))).toEqual({ state: "done", limit: "length" });
  });
});
