import { expect, test } from "vitest";

import { columnName, columnOf, shown } from "./sheet";

const EPOCH = Date.UTC(1899, 11, 30);
const as = (figure: number, format: string) => shown(figure, format, EPOCH, "en-GB");

test("columns by their letters", () => {
  expect([0, 25, 26, 701, 702].map(columnName)).toEqual(["A", "Z", "AA", "ZZ", "AAA"]);
  expect(["A1", "Z9", "AA10", "ZZ3", "AAA1"].map(columnOf)).toEqual([0, 25, 26, 701, 702]);
});

test("figures as their formats say", () => {
  expect(as(1234.5, "")).toBe("1234.5");
  expect(as(0.1 + 0.2, "")).toBe("0.3");
  expect(as(1234.5, "#,##0.00")).toBe("1,234.50");
  expect(as(0.256, "0.0%")).toBe("25.6%");
  expect(as(12, '0" days"')).toBe("12");
});

test("days and times are counted from the end of 1899", () => {
  expect(as(46023, "yyyy-mm-dd")).toBe("1 Jan 2026");
  expect(as(46023.75, "yyyy-mm-dd h:mm")).toBe("1 Jan 2026, 18:00");
  expect(as(0.5, "h:mm:ss")).toBe("12:00:00");
  expect(as(46023, "[$-409]d\\-mmm\\-yy")).toBe("1 Jan 2026");
});
