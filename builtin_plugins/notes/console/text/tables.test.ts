import { describe, expect, it } from "vitest";

import { cellsOf, columnsOf } from "./tables";

describe("rows of a table", () => {
  it("have the cells that stand between pipes, whether the row begins with one or not", () => {
    expect(cellsOf("| a | **b** |  |")).toEqual(["a", "b", ""]);
    expect(cellsOf("a | b")).toEqual(["a", "b"]);
    expect(cellsOf("| a \\| b | `c` |")).toEqual(["a | b", "c"]);
  });

  it("have columns as wide as their longest cell, within reason", () => {
    expect(columnsOf([["Port", "Why"], ["Nes", "x".repeat(99), "beyond"], ["Ålesund"]])).toEqual([7, 40]);
    expect(columnsOf([])).toEqual([]);
  });
});
