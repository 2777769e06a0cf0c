import { expect, it } from "vitest";

import { dayAfter, queryOf } from "./auditEvents";
import { changesOf, factsOf, fieldsOf, fieldWords } from "./changed";

it("tells what was before and what is now", () => {
  expect(changesOf({ detail: { username: "ada", from: "member", to: "admin" } })).toEqual([{ field: "", before: "member", after: "admin" }]);
  expect(changesOf({ detail: { from: { plan: "free", name: "A" }, to: { plan: "team" } } })).toEqual([
    { field: "plan", before: "free", after: "team" },
    { field: "name", before: "A", after: undefined },
  ]);
  expect(changesOf({ detail: { dimension: "ai.tokens", from: null, limit: 5 } })).toEqual([{ field: "", before: null, after: 5 }]);
  expect(changesOf({ detail: { enabled: false } })).toEqual([{ field: "", before: true, after: false }]);
  expect(changesOf({ detail: { from: ["ent_1"] } })).toEqual([]);
});

it("names what it tells no values of, and the rest", () => {
  const detail = { fields: ["enabled", "input"], from: { enabled: true }, to: { enabled: false } };
  expect(fieldsOf({ detail })).toEqual(["input"]);
  expect(factsOf({ detail: { ...detail, username: "ada" } })).toEqual([["username", "ada"]]);
  expect(factsOf({ detail: { limit: 3 } })).toEqual([["limit", 3]]);
  expect(fieldWords("match_types")).toBe("Match types");
});

it("asks for whole days, the last included, and not for what is none", () => {
  expect(dayAfter("2030-02-28")).toBe("2030-03-01");
  expect(queryOf({ from: "2030-01-01", to: "2030-01-31", q: "" })).toEqual({ from: "2030-01-01T00:00:00Z", to: "2030-02-01T00:00:00Z" });
  expect(queryOf({ from: "soon", actor: "usr_1" })).toEqual({ actor: "usr_1" });
});
