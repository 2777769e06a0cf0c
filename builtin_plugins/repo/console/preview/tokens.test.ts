import { expect, test } from "vitest";

import { tokensOf } from "./tokens";

const of = (text: string, ending: string) => tokensOf(text, ending).filter(({ kind }) => kind !== "plain").map(({ kind, text: part }) => `${kind} ${part}`);

test("comments, texts, figures and words of a language are told apart", () => {
  expect(of('def f(x): return "a # b" + 12  # why', "py")).toEqual(["word def", "word return", 'string "a # b"', "number 12", "comment # why"]);
  expect(of("const a = `x`; // done", "ts")).toEqual(["word const", "string `x`", "comment // done"]);
  expect(of("SELECT 1 -- all", "sql")).toEqual(["word SELECT", "number 1", "comment -- all"]);
});

test("no letter is lost", () => {
  const text = "a 'b\n\"c\\\" /* d";
  expect(tokensOf(text, "js").map(({ text: part }) => part).join("")).toBe(text);
});
