import { expect, it } from "vitest";

import { strengthOf } from "./strength";

it.each([
  ["qwerty", "short"],
  ["aaaaaaaaaaaa", "weak"],
  ["qwertyuiop", "weak"],
  ["Password2024", "weak"],
  ["Passw0rd123!", "weak"],
  ["ada-ada-ada-ada", "weak"],
  ["antidisestablishment", "weak"],
  ["correct horse battery", "fair"],
  ["correct horse battery staple", "strong"],
  ["q7#Lm2!vR9x", "strong"],
])("%s is %s", (password, verdict) => expect(strengthOf(password)).toBe(verdict));

it("counts nothing for the username", () => {
  expect(strengthOf("margaret-hamilton-1969", "margaret-hamilton")).toBe("weak");
});
