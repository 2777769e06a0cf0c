import { expect, test } from "vitest";

import { parseTable } from "./csv";

test("cells, quotes and lines", () => {
  expect(parseTable('a,b\r\n"x, ""y""\nz",2\n', 10)).toEqual({ rows: [["a", "b"], ['x, "y"\nz', "2"]], isCut: false });
  expect(parseTable("a;b\n1;2", 10).rows).toEqual([["a", "b"], ["1", "2"]]);
  expect(parseTable("a\tb", 10).rows).toEqual([["a", "b"]]);
  expect(parseTable("", 10).rows).toEqual([]);
});

test("a long one is cut, and says so", () => {
  expect(parseTable("1\n2\n3\n", 2)).toEqual({ rows: [["1"], ["2"]], isCut: true });
  expect(parseTable("1\n2\n", 2)).toEqual({ rows: [["1"], ["2"]], isCut: false });
});
