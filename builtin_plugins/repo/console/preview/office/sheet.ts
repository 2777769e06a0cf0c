/** An Excel workbook as tables of texts, each sheet read when it is looked at. */

import { all, Archive, attribute, Broken, child, children, parseXml } from "./archive";

export interface Table {
  rows: { number: number; cells: Cell[] }[];
  columns: number;
  isCut: boolean;
}

export interface Cell {
  text: string;
  isNumber: boolean;
}

export const MAX_ROWS = 500;
export const MAX_COLUMNS = 60;
const MAX_SHEET_BYTES = 6 * 1024 * 1024;
const DAY_MS = 86_400_000;
/** The day 0 of a workbook; those from old Macs begin four years later. */
const [EPOCH, MAC_EPOCH] = [Date.UTC(1899, 11, 30), Date.UTC(1904, 0, 1)];

export class Workbook {
  private constructor(
    private readonly archive: Archive,
    readonly sheets: readonly { name: string; part: string }[],
    private readonly strings: readonly string[],
    private readonly formats: readonly string[],
    private readonly epoch: number,
    private readonly locale: string,
  ) {}

  static async open(bytes: ArrayBuffer, locale: string): Promise<Workbook> {
    const archive = new Archive(bytes);
    const start = [...(await archive.relations("")).values()].find(({ type }) => type === "officeDocument")?.target ?? "xl/workbook.xml";
    const root = await archive.xml(start);
    if (!root) throw new Broken("no workbook");
    const relations = await archive.relations(start);
    const partOf = (type: string) => [...relations.values()].find((one) => one.type === type)?.target ?? "";
    const sheets = children(child(root, "sheets"), "sheet").flatMap((one) => {
      const relation = relations.get(attribute(one, "id") ?? "");
      const isShown = (attribute(one, "state") ?? "visible") === "visible";
      return relation?.type === "worksheet" && isShown ? [{ name: attribute(one, "name") ?? "", part: relation.target }] : [];
    });
    const strings = children(await archive.xml(partOf("sharedStrings")), "si").map(textOf);
    const isMac = ["1", "true"].includes(attribute(child(root, "workbookPr"), "date1904") ?? "");
    return new Workbook(archive, sheets, strings, formatsOf(await archive.xml(partOf("styles"))), isMac ? MAC_EPOCH : EPOCH, locale);
  }

  async table(part: string): Promise<Table> {
    const found = await this.archive.read(part, MAX_SHEET_BYTES, true);
    if (!found) throw new Broken("no sheet");
    const text = new TextDecoder().decode(found.bytes);
    // Of a long sheet the rows that are whole.
    const end = text.lastIndexOf("</row>") + "</row>".length;
    const tag = /<(\w+:)?worksheet[\s>]/.exec(text)?.[1] ?? "";
    const root = parseXml(found.isWhole ? text : `${text.slice(0, end)}</${tag}sheetData></${tag}worksheet>`);
    const data = child(root, "sheetData");
    const all = children(data, "row");
    let columns = 0;
    let isCut = !found.isWhole || all.length > MAX_ROWS;
    const rows = all.slice(0, MAX_ROWS).map((row, at) => {
      const cells: Cell[] = [];
      children(row, "c").forEach((cell, place) => {
        const reference = attribute(cell, "r");
        const column = reference ? columnOf(reference) : place;
        if (column >= MAX_COLUMNS) isCut = true;
        else cells[column] = this.cell(cell);
      });
      columns = Math.max(columns, cells.length);
      return { number: Number(attribute(row, "r")) || at + 1, cells };
    });
    return { rows, columns, isCut };
  }

  private cell(cell: Element): Cell {
    const type = attribute(cell, "t") ?? "n";
    const value = child(cell, "v")?.textContent ?? "";
    if (type === "s") return { text: this.strings[Number(value)] ?? "", isNumber: false };
    if (type === "inlineStr") return { text: textOf(child(cell, "is")), isNumber: false };
    if (type === "b") return { text: value === "1" ? "TRUE" : "FALSE", isNumber: false };
    if (type !== "n" || value === "") return { text: value, isNumber: false };
    return { text: shown(Number(value), this.formats[Number(attribute(cell, "s") ?? 0)] ?? "", this.epoch, this.locale), isNumber: true };
  }
}

/** A text without its readings in another script. */
const textOf = (element: Element | null): string =>
  all(element, "t").filter((one) => one.parentElement?.localName !== "rPh").map((one) => one.textContent ?? "").join("");

/** The formats that have numbers and no text of their own. */
const KNOWN: Record<number, string> = {
  1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm", 19: "h:mm:ss",
  20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00", 45: "mm:ss", 46: "h:mm:ss", 47: "mm:ss",
};

function formatsOf(root: Element | null): string[] {
  const own = new Map(all(root, "numFmt").map((one) => [Number(attribute(one, "numFmtId")), attribute(one, "formatCode") ?? ""]));
  return children(child(root, "cellXfs"), "xf").map((one) => {
    const id = Number(attribute(one, "numFmtId") ?? 0);
    return own.get(id) ?? KNOWN[id] ?? "";
  });
}

export const columnOf = (reference: string): number => [...reference.replace(/\d/g, "")].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;

export function columnName(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : columnName(Math.floor(column / 26) - 1) + letter;
}

/** A figure as its format has it shown, in the reader's language: dates, times, parts of a hundred, and how many decimals. */
export function shown(figure: number, code: string, epoch: number, locale: string): string {
  const format = (code.split(";")[0] ?? "").replace(/"[^"]*"|\\.|\[[^\]]*\]|_.|\*./g, "");
  if (/[ymdhs]/i.test(format) && !/[#0?]/.test(format.replace(/0+$/, ""))) return dateOf(figure, format, epoch, locale);
  const decimals = /\.([0#?]+)/.exec(format)?.[1]?.length ?? (/[0#]/.test(format) ? 0 : null);
  if (decimals === null) return new Intl.NumberFormat(locale, { maximumSignificantDigits: 15, useGrouping: false }).format(figure);
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return new Intl.NumberFormat(locale, { ...digits, useGrouping: format.includes(","), style: format.includes("%") ? "percent" : "decimal" }).format(figure);
}

function dateOf(figure: number, format: string, epoch: number, locale: string): string {
  const hasDay = /[yd]/i.test(format) || (/m/i.test(format) && !/[hs]/i.test(format));
  const hasTime = /[hs]/i.test(format);
  const date = new Date(Math.round((epoch + figure * DAY_MS) / 1000) * 1000);
  if (Number.isNaN(date.getTime())) return String(figure);
  return new Intl.DateTimeFormat(locale, {
    timeZone: "UTC",
    ...(hasDay && { year: "numeric", month: "short", day: "numeric" }),
    ...(hasTime && { hour: "2-digit", minute: "2-digit", ...(/s/i.test(format) && { second: "2-digit" }) }),
  }).format(date);
}
