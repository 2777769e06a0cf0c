import { expect, it } from "vitest";

import { remedyOf } from "./remedies";
import { placeOf, type Run } from "./run";

const run = (state: Run["state"], ...states: string[]) => ({ state, steps: states.map((each) => ({ state: each })) }) as Pick<Run, "state" | "steps">;

it("opens at what failed, unless the address says otherwise", () => {
  const failed = run("failed", "succeeded", "failed", "failed");
  expect(placeOf(failed, undefined)).toBe(2);
  expect(placeOf(failed, "1")).toBe(0);
  expect(placeOf(failed, "0")).toBe(-1);
  expect(placeOf(failed, "9")).toBe(-1);
  expect(placeOf(run("succeeded", "succeeded"), undefined)).toBe(-1);
});

it("always knows something to do", () => {
  expect(remedyOf("tool_disabled", "w").path).toBe("/tools");
  expect(remedyOf("not_a_list", "w")).toEqual({ text: "runs.do_change", path: "/workflows/w/edit", screen: "/workflows" });
  expect(remedyOf("never.heard_of", "w").text).toBe("runs.do_look");
});
