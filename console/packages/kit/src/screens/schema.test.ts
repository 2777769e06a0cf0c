import { expect, it } from "vitest";

import { bodyOf, draftOf, valueAt, type Schema } from "./schema";

const ORDER: Schema = {
  type: "object",
  required: ["name", "size", "tags", "note", "ship"],
  properties: {
    name: { type: "string" },
    size: { type: "integer" },
    weight: { type: "number" },
    urgent: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    more: { type: "array", items: { type: "string" } },
    lane: { type: "string", enum: ["north", "south"] },
    note: { anyOf: [{ type: "string" }, { type: "null" }] },
    ship: { type: "object", required: ["port"], properties: { port: { type: "string" }, days: { type: "integer" } } },
    extra: { type: "object", properties: { a: { type: "string" } } },
  },
};

it("leaves out what is optional and empty, and says null where that is asked for", () => {
  const draft = draftOf(ORDER);
  expect(bodyOf(ORDER, draft)).toEqual({ name: "", urgent: false, tags: [], note: null, ship: { port: "" } });
});

it("sends figures as numbers, and what is none as it was typed", () => {
  const draft = { ...(draftOf(ORDER) as object), size: "12", weight: "1,5" };
  expect(bodyOf(ORDER, draft)).toMatchObject({ size: 12, weight: 1.5 });
  for (const typed of ["a dozen", "1,000", " "]) {
    expect(bodyOf(ORDER, { ...draft, size: typed, weight: typed })).toMatchObject({ size: typed, weight: typed });
  }
});

it("takes no field for what every object has", () => {
  const odd: Schema = { type: "object", properties: { constructor: { type: "string" }, toString: { type: "string" } } };
  expect(draftOf(odd, {})).toEqual({ constructor: "", toString: "" });
  expect(valueAt({}, "constructor.name")).toBeUndefined();
});

it("takes what is there already", () => {
  const held = { name: "Vega", size: 3, tags: ["a", "b"], urgent: true, ship: { port: "Rotterdam", days: 4 } };
  expect(bodyOf(ORDER, draftOf(ORDER, held))).toEqual({ ...held, note: null });
});

it("finds a field within a field", () => {
  expect(valueAt({ owner: { name: "Ada" } }, "owner.name")).toBe("Ada");
  expect(valueAt({ owner: null }, "owner.name")).toBeUndefined();
});
