import { expect, it } from "vitest";

import { readTable } from "./readTable";

it("reads what a spreadsheet wrote or copied", () => {
  expect(readTable('\uFEFFa,"b ""c"", d"\r\n\r\n"two\nlines", x \n')).toEqual([["a", 'b "c", d'], ["two\nlines", "x"]]);
  expect(readTable("a, b\tc\nd\te")).toEqual([["a, b", "c"], ["d", "e"]]);
  expect(readTable("a;b\nc,d;e")).toEqual([["a", "b"], ["c,d", "e"]]);
  expect(readTable(" \n")).toEqual([]);
});
