import { expect, test } from "vitest";

import { inRows } from "./activity";

const event = (id: string, second: number, action = "object.created", name = "ada") => ({
  id,
  at: new Date(Date.UTC(2026, 4, 1, 12, 0, second)).toISOString(),
  actor: { id: `usr_${name}`, name },
  action,
});

test("what somebody does many times in a row is one line", () => {
  const rows = inRows([event("d", 40), event("c", 30), event("b", 20), event("a", 10, "note.created")]);
  expect(rows.map(({ id, times }) => [id, times])).toEqual([["d", 3], ["a", 1]]);
});

test("twice is two lines, and so is what others do or what was done long before", () => {
  expect(inRows([event("b", 20), event("a", 10)]).map(({ times }) => times)).toEqual([1, 1]);
  const others = [event("c", 30), event("b", 20, "object.created", "grace"), event("a", 10)];
  expect(inRows(others)).toHaveLength(3);
  expect(inRows([event("c", 300), event("b", 200), event("a", 100)])).toHaveLength(3);
});
