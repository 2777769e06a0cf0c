/** Rows as CSV for a spreadsheet, which must not take what somebody called themselves for a formula. */

export type Cell = string | number | boolean | null | undefined;

const FORMULA = /^[=+\-@\t\r\n]/;

/** A table with a head, as RFC 4180 has it. */
export function csvTable(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [columns, ...rows].map((row) => row.map(cellText).join(",")).join("\r\n") + "\r\n";
}

/** The cells of a table in text, as RFC 4180 or a spreadsheet's clipboard has them: the first line tells what stands between. */
export function readTable(text: string): string[][] {
  const given = text.replace(/^\uFEFF/, "");
  const between = separatorOf(given);
  const rows: string[][] = [[]];
  let cell = "";
  let isQuoted = false;
  for (let at = 0; at < given.length; at += 1) {
    const sign = given[at]!;
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (given[at + 1] === '"') cell += given[(at += 1)];
      else isQuoted = false;
    } else if (sign === '"' && cell === "") isQuoted = true;
    else if (sign === between || sign === "\n") {
      rows.at(-1)!.push(cell);
      cell = "";
      if (sign === "\n") rows.push([]);
    } else if (sign !== "\r") cell += sign;
  }
  rows.at(-1)!.push(cell);
  return rows.map((row) => row.map((one) => one.trim())).filter((row) => row.some((one) => one !== ""));
}

function separatorOf(text: string): string {
  const [first = ""] = text.split("\n", 1);
  return ["\t", ";"].find((sign) => first.includes(sign)) ?? ",";
}

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell !== "string") return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
