import { beforeEach, describe, expect, it, vi } from "vitest";

import type { Step } from "./conversation";
import { LiveAnswer } from "./liveAnswer";

let frames: (() => void)[] = [];
beforeEach(() => {
  frames = [];
  vi.stubGlobal("requestAnimationFrame", (callback: () => void) => frames.push(callback));
  vi.stubGlobal("cancelAnimationFrame", () => (frames = []));
});
const step = (n: number, state: Step["state"]): Step => ({ id: `m/${n}`, n, tool: "shout", state, arguments: {} });
const words = (text: string) => ({ kind: "text", sections: [], open: { text, continues: false }, isCutShort: false });

describe("LiveAnswer", () => {
  it("draws once a frame, whatever came in it", () => {
    const answer = new LiveAnswer();
    const drawn = vi.fn();
    answer.subscribe(drawn);
    "one two three".split(" ").forEach((word) => answer.say(`${word} `));
    expect([frames.length, drawn.mock.calls.length, answer.parts.length]).toEqual([1, 0, 0]);
    frames.pop()?.();
    expect(drawn).toHaveBeenCalledTimes(1);
    expect(answer.parts).toEqual([words("one two three ")]);
  });

  it("keeps words and tools in their order, and a tool at its place", () => {
    const answer = new LiveAnswer();
    answer.say("Let me see.");
    answer.setStep(step(0, "running"));
    answer.say("It is A.");
    answer.setStep(step(0, "done"));
    expect(answer.parts).toEqual([words("Let me see."), { kind: "step", step: step(0, "done") }, words("It is A.")]);
  });

  it("begins anew with what is known of it", () => {
    const answer = new LiveAnswer();
    answer.say("void");
    answer.reset([{ kind: "text", text: "Known. " }]);
    answer.say("More.");
    frames.forEach((draw) => draw());
    expect(answer.parts).toEqual([words("Known. More.")]);
  });

  it("tells what is done before the first words", () => {
    const answer = new LiveAnswer();
    answer.setStatus("reading");
    expect(answer.status).toBe("reading");
    answer.say("It says");
    expect(answer.status).toBeNull();
  });
});
