/** Rows as CSV for a spreadsheet, which must not take what somebody called themselves for a formula. */

export type Cell = string | number | boolean | null | undefined;

const FORMULA = /^[=+\-@\t\r\n]/;

/** A table with a head, as RFC 4180 has it. */
export function csvTable(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [columns, ...rows].map((row) => row.map(cellText).join(",")).join("\r\n") + "\r\n";
}

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell !== "string") return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
