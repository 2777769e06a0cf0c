import { describe, expect, it } from "vitest";

import { typeOf } from "./assets";
import { freshName, moved, textKeys, withLanguageBack, withText, type Field } from "./experience";
import { emailOf, titleOf, usernameFor } from "./prospect";

const field = (name: string, more: Partial<Field> = {}): Field => ({ name, type: "text", label: name, ...more });

describe("an experience", () => {
  it("has texts for its fields, and whatever else stands there", () => {
    const fields = [field("email", { type: "email" }), field("size", { type: "select", options: ["1", "2"] })];
    const keys = textKeys({ fields, copy: { en: { title: "Hi", note: "x" } } });
    expect(keys.form).toEqual(["label_email", "help_email", "placeholder_email", "label_size", "help_size", "option_size_1", "option_size_2"]);
    expect(keys.other).toEqual(["note"]);
  });
  it("leaves an empty text out", () => expect(withText({ nl: { a: "x", b: "y" } }, "nl", "a", "")).toEqual({ nl: { b: "y" } }));
  it("takes a removed language back in its place, and what was typed since stays", () => {
    const before = { en: { a: "x" }, nl: { a: "y" }, es: {} };
    const back = withLanguageBack({ en: { a: "typed since" }, es: {}, is: {} }, before, "nl");
    expect(Object.entries(back)).toEqual([["en", { a: "typed since" }], ["nl", { a: "y" }], ["es", {}], ["is", {}]]);
    expect(withLanguageBack({ nl: { a: "added again" } }, before, "nl")).toEqual({ nl: { a: "added again" } });
  });
  it("gives a new field a name of its own", () => expect(freshName([field("field_2")])).toBe("field_3"));
  it("moves fields within its bounds", () => {
    expect(moved([1, 2, 3], 0, 1)).toEqual([2, 1, 3]);
    expect(moved([1, 2, 3], 2, 1)).toEqual([1, 2, 3]);
  });
});

describe("a prospect", () => {
  it("is found by an address in any field", () => expect(emailOf({ fields: { why: "me", contact: "jo@example.com" } })).toBe("jo@example.com"));
  it("goes by name first", () => {
    expect(titleOf({ id: "prs_1", fields: { email: "a@b.c", name: "Ann" } })).toBe("Ann");
    expect(titleOf({ id: "prs_1", fields: {} })).toBe("prs_1");
  });
  it.each([
    ["Ann.Baker+beta@example.com", "ann.baker"],
    ["jó hé@example.com", ""],
    ["--x--@example.com", "x"],
  ])("%s may be called %s", (email, name) => expect(usernameFor({ fields: { email } })).toBe(name));
});

it("a font is known by its name", () => {
  expect(typeOf({ type: "", name: "A.WOFF2" })).toBe("font/woff2");
  expect(typeOf({ type: "image/webp", name: "a" })).toBe("image/webp");
});
