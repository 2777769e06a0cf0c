import { describe, expect, it } from "vitest";

import { count, priceOf, switched } from "./model";

describe("a model for members", () => {
  it("has a price where all of it is given, and none where nothing is", () => {
    expect(priceOf("eur", "1,5", "6")).toEqual({ currency: "EUR", input_per_million: 1.5, output_per_million: 6 });
    expect(priceOf(" ", "", "")).toBeNull();
    expect([priceOf("EUR", "1", ""), priceOf("euro", "1", "2"), priceOf("EUR", "-1", "2"), priceOf("EUR", "x", "2")]).toEqual([undefined, undefined, undefined, undefined]);
  });
  it("is for roles, teams and people, each once", () => {
    expect(count({ roles: ["member"], users: ["usr_1", "usr_2"] })).toBe(3);
    expect(switched(["a"], "a", true)).toEqual(["a"]);
    expect(switched(["a", "b"], "a", false)).toEqual(["b"]);
  });
});
