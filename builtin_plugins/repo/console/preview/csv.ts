/** Tables that are written as text: cells between commas, quotes around what holds one. */

export interface ParsedTable {
  rows: string[][];
  /** Whether there was more than what is shown. */
  isCut: boolean;
}

/** Reads at most so many rows; the separator is the one that the first line has most of. */
export function parseTable(text: string, maxRows: number): ParsedTable {
  const separator = separatorOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] as string;
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (sign === '"' && cell === "") isQuoted = true;
    else if (sign === separator) {
      row.push(cell);
      cell = "";
    } else if (sign === "\n") {
      rows.push([...row, cell.replace(/\r$/, "")]);
      row = [];
      cell = "";
      if (rows.length >= maxRows) return { rows, isCut: at + 1 < text.length };
    } else cell += sign;
  }
  if (cell !== "" || row.length > 0) rows.push([...row, cell]);
  return { rows, isCut: false };
}

function separatorOf(text: string): string {
  const line = text.slice(0, text.indexOf("\n") + 1 || undefined);
  const count = (sign: string) => line.split(sign).length;
  return [",", ";", "\t"].reduce((best, sign) => (count(sign) > count(best) ? sign : best));
}
