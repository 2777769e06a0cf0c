import { expect, test } from "vitest";

import { findTyped, TypedName } from "./typedName";

const NAMES = ["alpha", "apple", "beta", "Appendix", "gamma"];

test("what is typed leads to the next name that begins so", () => {
  expect(findTyped(NAMES, "b", 0)).toBe(2);
  expect(findTyped(NAMES, "app", 1)).toBe(1);
  expect(findTyped(NAMES, "appe", 1)).toBe(3);
  expect(findTyped(NAMES, "zz", 0)).toBe(-1);
});

test("one letter again and again goes round", () => {
  expect(findTyped(NAMES, "a", 0)).toBe(1);
  expect(findTyped(NAMES, "aa", 1)).toBe(3);
  expect(findTyped(NAMES, "aaa", 3)).toBe(0);
});

test("letters of every list begin no name, and are part of one that was begun", () => {
  const typed = new TypedName();
  expect(typed.add("x", 0)).toBeNull();
  expect(typed.add("a", 0)).toBe("a");
  expect(typed.add("x", 500)).toBe("ax");
  expect(typed.add(" ", 900)).toBe("ax ");
  expect(typed.add("b", 5_000)).toBe("b");
});
