/** Rows of a table as they are drawn while the caret is elsewhere. */

import { WidgetType } from "@codemirror/view";

/** So many rows say how wide the columns are. */
export const MAX_MEASURED = 200;
const [NARROWEST, WIDEST] = [4, 40];
const MARKS = /\*\*|__|~~|`/g;

/** The cells of a row, without the marks around them and in them. */
export function cellsOf(row: string): string[] {
  const inner = row.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.replaceAll("\\|", "|").replace(MARKS, "").trim());
}

/** How wide each column of the header is in parts of the table, by the longest cell in it. */
export function columnsOf(rows: readonly (readonly string[])[]): number[] {
  const [header = []] = rows;
  return header.map((_, column) => {
    const longest = Math.max(...rows.map((cells) => cells[column]?.length ?? 0));
    return Math.min(WIDEST, Math.max(NARROWEST, longest));
  });
}

export class TableRow extends WidgetType {
  constructor(
    private readonly cells: readonly string[],
    private readonly columns: readonly number[],
    private readonly isHead: boolean,
  ) {
    super();
  }

  override eq(other: TableRow): boolean {
    return other.isHead === this.isHead && other.cells.join("|") === this.cells.join("|") && other.columns.join() === this.columns.join();
  }

  toDOM(): HTMLElement {
    const row = document.createElement("span");
    row.className = this.isHead ? "cm-row cm-row-head" : "cm-row";
    row.style.gridTemplateColumns = this.columns.map((width) => `minmax(0, ${width}fr)`).join(" ");
    for (const cell of this.cells) row.append(Object.assign(document.createElement("span"), { textContent: cell }));
    return row;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}
