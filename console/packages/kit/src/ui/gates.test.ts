import { expect, it } from "vitest";

import { Problem } from "../api/problem";
import { liftOf } from "./gates";

const full = { title: "", status: 429, detail: "", code: "quota_exceeded" };
const refusal = (code: string) => new Problem({ title: "", status: 403, detail: "", code });

it("promises the next period only where a limit has one", () => {
  expect(liftOf(new Problem(full, 3_600))?.text).toBe("gate.quota");
  expect(liftOf(new Problem(full))?.text).toBe("gate.quota_room");
});

it("leads to where the switch is", () => {
  expect(liftOf(refusal("feature_disabled"))?.path).toBe("/features");
  expect(liftOf(refusal("tool_disabled"))?.path).toBe("/tools");
  expect(liftOf(refusal("something_else"))).toBeNull();
});
