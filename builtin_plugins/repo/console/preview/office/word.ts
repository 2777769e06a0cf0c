/** A Word document as paragraphs, lists, tables and pictures: its shape, without its pages. */

import { all, Archive, attribute, Broken, child, children, isOn } from "./archive";

export interface Run {
  text: string;
  isBold: boolean;
  isItalic: boolean;
  isUnderlined: boolean;
  isStruck: boolean;
  raised: "sub" | "sup" | null;
  href: string | null;
  picture: { src: string; width: number | null } | null;
}

export type Block =
  | { kind: "paragraph"; level: number; align: "start" | "center" | "end" | "justify"; list: { depth: number; mark: string } | null; runs: Run[] }
  | { kind: "table"; rows: { blocks: Block[]; span: number }[][] };

export interface WordText {
  blocks: Block[];
  isCut: boolean;
}

const MAX_BLOCKS = 4_000;
const EMU_PER_PIXEL = 9_525;
const ALIGNS: Record<string, "start" | "center" | "end" | "justify"> = { center: "center", right: "end", end: "end", both: "justify", distribute: "justify" };

interface Style {
  level: number;
  isBold: boolean;
  isItalic: boolean;
  list: ListPlace | null;
}

interface ListPlace {
  id: string;
  depth: number;
}

export async function readWord(bytes: ArrayBuffer): Promise<WordText> {
  const archive = new Archive(bytes);
  const start = [...(await archive.relations("")).values()].find(({ type }) => type === "officeDocument")?.target ?? "word/document.xml";
  const body = child(await archive.xml(start), "body");
  if (!body) throw new Broken("no document");
  const relations = await archive.relations(start);
  const folder = start.slice(0, start.lastIndexOf("/") + 1);
  const pictures = new Map<string, string>();
  for (const [id, { target, type, isOutside }] of relations) {
    const picture = type === "image" && !isOutside ? await archive.picture(target) : null;
    if (picture) pictures.set(id, picture);
  }
  const links = new Map([...relations].flatMap(([id, { target, isOutside }]) => (isOutside ? [[id, target] as const] : [])));
  const reader = new Reader(stylesOf(await archive.xml(`${folder}styles.xml`)), listsOf(await archive.xml(`${folder}numbering.xml`)), pictures, links);
  const blocks = reader.blocksOf(body);
  return { blocks, isCut: reader.isFull };
}

class Reader {
  private count = 0;
  private readonly counters = new Map<string, number[]>();

  constructor(
    private readonly styles: ReadonlyMap<string, Style>,
    private readonly lists: ReadonlyMap<string, readonly string[]>,
    private readonly pictures: ReadonlyMap<string, string>,
    private readonly links: ReadonlyMap<string, string>,
  ) {}

  get isFull(): boolean {
    return this.count >= MAX_BLOCKS;
  }

  blocksOf(place: Element): Block[] {
    const blocks: Block[] = [];
    for (const one of children(place)) {
      if (this.isFull) break;
      if (one.localName === "p") blocks.push(this.paragraph(one));
      else if (one.localName === "tbl") blocks.push(this.table(one));
      else if (one.localName === "sdt") blocks.push(...this.blocksOf(child(one, "sdtContent") ?? one));
    }
    return blocks;
  }

  private table(table: Element): Block {
    const rows = children(table, "tr").map((row) =>
      children(row, "tc").map((cell) => ({ blocks: this.blocksOf(cell), span: Number(attribute(child(cell, "tcPr", "gridSpan"), "val")) || 1 })),
    );
    return { kind: "table", rows };
  }

  private paragraph(paragraph: Element): Block {
    this.count += 1;
    const properties = child(paragraph, "pPr");
    const style = this.styles.get(attribute(child(properties, "pStyle"), "val") ?? "");
    const outline = attribute(child(properties, "outlineLvl"), "val");
    const numbering = child(properties, "numPr");
    const place = numbering ? { id: attribute(child(numbering, "numId"), "val") ?? "", depth: Number(attribute(child(numbering, "ilvl"), "val") ?? 0) } : (style?.list ?? null);
    const runs: Run[] = [];
    this.collect(paragraph, runs, null, style);
    const level = outline === null ? (style?.level ?? 0) : Number(outline) + 1;
    return { kind: "paragraph", level: level > 6 ? 0 : level, align: ALIGNS[attribute(child(properties, "jc"), "val") ?? ""] ?? "start", list: this.mark(place), runs };
  }

  /** What stands before a line of a list; numbers go on from the line before. */
  private mark(place: ListPlace | null): { depth: number; mark: string } | null {
    const formats = place && this.lists.get(place.id);
    if (!place || !formats) return null;
    const depth = Math.max(0, Math.min(8, place.depth));
    const counters = this.counters.get(place.id) ?? [];
    counters[depth] = (counters[depth] ?? 0) + 1;
    counters.length = depth + 1;
    this.counters.set(place.id, counters);
    return { depth, mark: markOf(formats[depth] ?? "bullet", counters[depth] ?? 1) };
  }

  private collect(place: Element, runs: Run[], href: string | null, style: Style | undefined): void {
    for (const one of children(place)) {
      if (one.localName === "r") runs.push(...this.runsOf(one, href, style));
      else if (one.localName === "hyperlink") this.collect(one, runs, this.links.get(attribute(one, "id") ?? "") ?? null, style);
      else if (["ins", "smartTag", "fldSimple", "sdt", "sdtContent"].includes(one.localName)) this.collect(one, runs, href, style);
    }
  }

  private runsOf(run: Element, href: string | null, style: Style | undefined): Run[] {
    const properties = child(run, "rPr");
    const [bold, italic] = [child(properties, "b"), child(properties, "i")];
    const raised = attribute(child(properties, "vertAlign"), "val");
    const base = {
      isBold: bold ? isOn(bold) : (style?.isBold ?? false),
      isItalic: italic ? isOn(italic) : (style?.isItalic ?? false),
      isUnderlined: isOn(child(properties, "u")),
      isStruck: isOn(child(properties, "strike")),
      raised: raised === "superscript" ? ("sup" as const) : raised === "subscript" ? ("sub" as const) : null,
      href,
    };
    let text = "";
    const found: Run[] = [];
    for (const one of children(run)) {
      if (one.localName === "t") text += one.textContent ?? "";
      else if (one.localName === "tab") text += "\t";
      else if (one.localName === "br" || one.localName === "cr") text += "\n";
      else if (one.localName === "noBreakHyphen") text += "\u2011";
      for (const blip of one.localName === "drawing" ? all(one, "blip") : []) {
        const src = this.pictures.get(attribute(blip, "embed") ?? "");
        const width = Number(attribute(all(one, "extent")[0], "cx")) / EMU_PER_PIXEL || null;
        if (src) found.push({ ...base, text: "", picture: { src, width } });
      }
    }
    return text ? [{ ...base, text, picture: null }, ...found] : found;
  }
}

function stylesOf(root: Element | null): Map<string, Style> {
  const styles = new Map<string, Style>();
  for (const one of children(root, "style")) {
    const base = styles.get(attribute(child(one, "basedOn"), "val") ?? "");
    const name = attribute(child(one, "name"), "val") ?? "";
    const heading = /^heading (\d)$/i.exec(name)?.[1] ?? (/^title$/i.test(name) ? "1" : undefined);
    const outline = attribute(child(one, "pPr", "outlineLvl"), "val");
    const numbering = child(one, "pPr", "numPr");
    const [bold, italic] = [child(one, "rPr", "b"), child(one, "rPr", "i")];
    styles.set(attribute(one, "styleId") ?? "", {
      level: heading ? Number(heading) : outline === null ? (base?.level ?? 0) : Number(outline) + 1,
      isBold: bold ? isOn(bold) : (base?.isBold ?? false),
      isItalic: italic ? isOn(italic) : (base?.isItalic ?? false),
      list: numbering ? { id: attribute(child(numbering, "numId"), "val") ?? "", depth: Number(attribute(child(numbering, "ilvl"), "val") ?? 0) } : (base?.list ?? null),
    });
  }
  return styles;
}

/** How the lines of each list are marked, by depth. */
function listsOf(root: Element | null): Map<string, readonly string[]> {
  const abstract = new Map<string, readonly string[]>();
  for (const one of children(root, "abstractNum")) {
    abstract.set(attribute(one, "abstractNumId") ?? "", children(one, "lvl").map((level) => attribute(child(level, "numFmt"), "val") ?? "bullet"));
  }
  return new Map(children(root, "num").map((one) => [attribute(one, "numId") ?? "", abstract.get(attribute(child(one, "abstractNumId"), "val") ?? "") ?? []]));
}

const BULLETS = "•";

function markOf(format: string, number: number): string {
  if (format === "bullet" || format === "none") return BULLETS;
  if (format.endsWith("Letter")) {
    const letter = String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.floor((number - 1) / 26) + 1);
    return `${format.startsWith("upper") ? letter.toUpperCase() : letter}.`;
  }
  if (format.endsWith("Roman")) return `${format.startsWith("upper") ? roman(number).toUpperCase() : roman(number)}.`;
  return `${number}.`;
}

function roman(number: number): string {
  const signs: [number, string][] = [[100, "c"], [90, "xc"], [50, "l"], [40, "xl"], [10, "x"], [9, "ix"], [5, "v"], [4, "iv"], [1, "i"]];
  let [rest, text] = [number % 400, ""];
  for (const [value, sign] of signs) for (; rest >= value; rest -= value) text += sign;
  return text;
}
