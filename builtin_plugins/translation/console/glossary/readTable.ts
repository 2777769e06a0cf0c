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
