import { expect, it } from "vitest";

import { portionsOf } from "./portions";

it("cuts a long text at lines, or anywhere but inside a character, and loses nothing", () => {
  expect(portionsOf("")).toEqual([""]);
  expect(portionsOf("abc\ndefgh\nij", 6)).toEqual(["abc\n", "defgh\n", "ij"]);
  const faces = "😀".repeat(10);
  const portions = portionsOf(faces, 5);
  expect(portions.join("")).toBe(faces);
  expect(portions.every((portion) => !/^[\udc00-\udfff]/.test(portion))).toBe(true);
});
