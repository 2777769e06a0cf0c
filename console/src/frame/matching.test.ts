import { describe, expect, it } from "vitest";

import { matching } from "./matching";

const names = ["Notes", "New note", "Knowledge graph", "Diseño", "Audit trail"];
const found = (typed: string) => matching(names, (name) => name, typed);

describe("matching", () => {
  it.each([
    ["", names],
    ["not", ["Notes", "New note"]],
    ["note new", ["New note"]],
    ["diseno", ["Diseño"]],
    ["gr", ["Knowledge graph"]],
    ["zebra", []],
  ])("%j finds %j", (typed, expected) => expect(found(typed)).toEqual(expected));
});
