import { describe, expect, it } from "vitest";

import { sourceIn } from "./ask";
import { addressAt, plain } from "./place";

describe("the address of a passage", () => {
  it("names what is known of its place, and nothing else", () => {
    expect(addressAt("/files/obj_1", { page: 3 }, 2)).toBe("/files/obj_1?version=2&page=3");
    expect(addressAt("/notes/not_1", { heading: "What & why", line: 7 })).toBe("/notes/not_1?heading=What+%26+why&line=7");
    expect(addressAt("/notes/not_1", {})).toBe("/notes/not_1");
  });
  it("finds a heading whatever its marks", () => {
    expect(plain("## The **plan**  of `May`")).toBe(plain("The plan of May"));
  });
});

describe("what is asked about", () => {
  it("is read from the address, and nothing else is", () => {
    expect(sourceIn("folder:reports/2026/")).toEqual({ type: "folder", at: "reports/2026/" });
    expect([sourceIn("person:usr_1"), sourceIn("note:"), sourceIn(undefined)]).toEqual([null, null, null]);
  });
});
