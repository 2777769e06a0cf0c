import { expect, it } from "vitest";

import { aboutOf, fromLocal, remedyOf } from "./jobWords";

it("says what a job is about by the first text that went in", () => {
  expect(aboutOf({ count: 3, text: "one two\nthree" })).toBe("one two");
  expect(aboutOf("x".repeat(200))).toHaveLength(120);
  expect(aboutOf({ document: "obj_01m7s17svvsrwfrr5y318csjwc", folder: "harbour/" })).toBe("harbour/");
  expect(aboutOf(null)).toBe("");
});

it("knows something to do about any failure", () => {
  expect(remedyOf("quota_exceeded")).toBe("jobs.do_limit");
  expect(remedyOf("anything")).toBe("jobs.do_look");
});

it("reads a local time, and none where there is none", () => {
  expect(fromLocal("")).toBeNull();
  expect(fromLocal("nonsense")).toBeNull();
  expect(Date.parse(fromLocal("2030-01-31T12:00") ?? "")).toBe(new Date(2030, 0, 31, 12).getTime());
});
