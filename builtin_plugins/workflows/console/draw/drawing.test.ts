import { describe, expect, it } from "vitest";

import { addStep, at, changeStep, moveStep, newStep, referencesFor, removeStep, type Spec } from "./drawing";

const spec: Spec = {
  slug: "x",
  inputs: { text: { type: "string" } },
  start: "a",
  steps: [
    { name: "a", kind: "tool", tool: "count" },
    { name: "p", kind: "parallel", branches: [[{ name: "b", kind: "tool", tool: "count" }]], next: "z" },
    { name: "z", kind: "transform", expression: "@", with: { $from: "steps.a.output.result.n" } },
  ],
};

describe("drawing", () => {
  it("adds a step behind another, in a branch too, under a name that nothing has", () => {
    const step = newStep(spec, "tool", "a");
    expect(step.name).toBe("a_2");
    const { spec: grown, pointer } = addStep(spec, "/steps/1/branches/0/0", step);
    expect(pointer).toBe("/steps/1/branches/0/1");
    expect(at(grown, `${pointer}/name`)).toBe("a_2");
    expect(spec.steps).toHaveLength(3);
  });

  it("begins with the first step that is drawn", () => {
    const { spec: begun } = addStep({ slug: "y", start: "", steps: [] }, null, newStep({}, "wait", ""));
    expect([begun.start, at(begun, "/steps/0/kind")]).toEqual(["wait", "wait"]);
  });

  it("renames a step wherever another leads to it or takes its output", () => {
    const renamed = changeStep(spec, "/steps/0", { name: "first", kind: "tool", tool: "count" });
    expect(renamed.start).toBe("first");
    expect(at(renamed, "/steps/2/with/$from")).toBe("steps.first.output.result.n");
    expect(at(changeStep(spec, "/steps/2", { name: "end", kind: "wait" }), "/steps/1/next")).toBe("end");
  });

  it("moves and removes steps, and begins with the one that is first then", () => {
    const moved = moveStep(spec, "/steps/0", 1);
    expect([moved.pointer, moved.spec.start, at(moved.spec, "/steps/1/name")]).toEqual(["/steps/1", "p", "a"]);
    expect(moveStep(spec, "/steps/0", -1).spec).toBe(spec);
    expect(removeStep(spec, "/steps/0").start).toBe("p");
  });

  it("offers what stands before a step, and not what holds it", () => {
    const offered = referencesFor(spec, "/steps/1/branches/0/0");
    expect(offered.slice(0, 2)).toEqual(["input.text", "steps.a.output.result"]);
    expect(offered.some((one) => one.startsWith("steps.p."))).toBe(false);
    expect(referencesFor(spec, "/steps/2")).toContain("steps.p.output.result");
  });
});
