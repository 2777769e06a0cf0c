import { describe, expect, it } from "vitest";

import { faultsOf, parse, pluralSamples, render } from "./icu";

const CART = "{count, plural, =0 {Your cart is empty} one {# thing} other {# things}} for {name}";

describe("what a message names", () => {
  it("are its arguments by kind", () => {
    const parsed = parse(CART, "en");
    expect(parsed.ok && parsed.args.map(({ name, kind }) => [name, kind])).toEqual([["count", "plural"], ["name", "text"]]);
  });
  it("is nothing where it does not compile", () => expect(parse("{count, plural, one {#}", "en").ok).toBe(false));
});

describe("a translation", () => {
  it.each([
    ["{count, plural, one {# ding} other {# dingen}} voor {name}", []],
    ["{count, plural, one {# ding} other {# dingen}}", [{ code: "missing", name: "name" }]],
    ["{count} voor {name}", [{ code: "kind", name: "count" }]],
    ["{count, plural, one {#} other {#}} {naam} {name}", [{ code: "unknown", name: "naam" }]],
    ["", []],
  ])("%s", (text, faults) => expect(faultsOf(CART, text, "nl")).toEqual(faults));
  it("says where it breaks", () => expect(faultsOf(CART, "Hallo {", "nl")[0]?.code).toBe("syntax"));
  it("may have angle brackets", () => expect(faultsOf("a <b>", "x <b>", "nl")).toEqual([]));
});

it("every plural form of a language has a sample", () => {
  expect(pluralSamples("nl")).toEqual([0, 1, 2]);
  const polish = new Intl.PluralRules("pl");
  expect(new Set(pluralSamples("pl").map((number) => polish.select(number)))).toEqual(new Set(["one", "few", "many"]));
});

it("a message is shown with samples", () => {
  expect(render(CART, "en", { count: "1", name: "Jo" })).toBe("1 thing for Jo");
  expect(render("{", "en", {})).toBeNull();
  expect(render("on {when, date, short}", "en", { when: "nonsense" })).toBeNull();
});
