/** A presentation as slides with their texts, pictures and boxes where they stand, as parts of the slide's width and height. */

import { all, Archive, attribute, Broken, child, children } from "./archive";

export interface SlideRun {
  text: string;
  isBold: boolean;
  isItalic: boolean;
  /** In points. */
  size: number;
  colour: string | null;
}

export interface SlideParagraph {
  align: "start" | "center" | "end" | "justify";
  depth: number;
  hasBullet: boolean;
  runs: SlideRun[];
}

export interface Shape {
  x: number;
  y: number;
  width: number;
  height: number;
  fill: string | null;
  anchor: "start" | "center" | "end";
  picture: string | null;
  paragraphs: SlideParagraph[];
  table: string[][] | null;
}

export interface Slide {
  background: string | null;
  shapes: Shape[];
}

export interface Presentation {
  /** Of a slide, in points. */
  width: number;
  height: number;
  slides: Slide[];
  isCut: boolean;
}

type Box = [x: number, y: number, width: number, height: number];
type Colours = ReadonlyMap<string, string>;

const EMU_PER_POINT = 12_700;
const MAX_SLIDES = 200;
const ALIGNS: Record<string, SlideParagraph["align"]> = { ctr: "center", r: "end", just: "justify" };
const ANCHORS: Record<string, Shape["anchor"]> = { ctr: "center", b: "end" };
const TITLES = new Set(["title", "ctrTitle"]);
const MAPPED: Record<string, string> = { bg1: "lt1", tx1: "dk1", bg2: "lt2", tx2: "dk2" };

export async function readSlides(bytes: ArrayBuffer): Promise<Presentation> {
  const archive = new Archive(bytes);
  const start = [...(await archive.relations("")).values()].find(({ type }) => type === "officeDocument")?.target ?? "ppt/presentation.xml";
  const root = await archive.xml(start);
  if (!root) throw new Broken("no presentation");
  const relations = await archive.relations(start);
  const [width, height] = ["cx", "cy"].map((name) => Number(attribute(child(root, "sldSz"), name)) || 9_144_000) as [number, number];
  const ids = children(child(root, "sldIdLst"), "sldId").map((one) => relations.get(relationId(one))?.target ?? "");
  const reader = new Reader(archive, width, height);
  const slides: Slide[] = [];
  for (const part of ids.slice(0, MAX_SLIDES)) slides.push(await reader.slide(part));
  return { width: width / EMU_PER_POINT, height: height / EMU_PER_POINT, slides, isCut: ids.length > MAX_SLIDES };
}

/** A slide has an id of its own beside that of its relation: the one with a namespace. */
const relationId = (element: Element): string => [...element.attributes].find(({ localName, prefix }) => localName === "id" && prefix)?.value ?? "";

/** What a slide takes from the layout and the master that it is made after. */
interface Model {
  holders: { type: string; index: string; box: Box | null; anchor: string | null; size: number | null }[];
  background: Element | null;
  colours: Colours;
}

class Reader {
  private readonly models = new Map<string, Promise<Model>>();

  constructor(
    private readonly archive: Archive,
    private readonly width: number,
    private readonly height: number,
  ) {}

  async slide(part: string): Promise<Slide> {
    const root = await this.archive.xml(part);
    if (!root) throw new Broken("no slide");
    const relations = await this.archive.relations(part);
    const layout = [...relations.values()].find(({ type }) => type === "slideLayout")?.target ?? "";
    const model = await this.model(layout);
    const pictures = new Map<string, string>();
    for (const [id, { target, type, isOutside }] of relations) {
      const picture = type === "image" && !isOutside ? await this.archive.picture(target) : null;
      if (picture) pictures.set(id, picture);
    }
    const shapes: Shape[] = [];
    this.collect(child(root, "cSld", "spTree"), (box) => box, { model, pictures, shapes });
    return { background: colourOf(child(root, "cSld", "bg", "bgPr") ?? model.background, model.colours), shapes };
  }

  private model(layout: string): Promise<Model> {
    const known = this.models.get(layout) ?? this.readModel(layout);
    this.models.set(layout, known);
    return known;
  }

  private async readModel(layout: string): Promise<Model> {
    const root = layout ? await this.archive.xml(layout) : null;
    const relations = await this.archive.relations(layout);
    const master = [...relations.values()].find(({ type }) => type === "slideMaster")?.target ?? "";
    const masterRoot = master ? await this.archive.xml(master) : null;
    const theme = [...(await this.archive.relations(master)).values()].find(({ type }) => type === "theme")?.target ?? "";
    const styles = child(masterRoot, "txStyles");
    const sizeOf = (type: string) => Number(attribute(child(styles, TITLES.has(type) ? "titleStyle" : "bodyStyle", "lvl1pPr", "defRPr"), "sz")) / 100 || null;
    const holders = [root, masterRoot].flatMap((from) =>
      all(from, "sp").flatMap((shape) => {
        const holder = child(shape, "nvSpPr", "nvPr", "ph");
        if (!holder) return [];
        const type = attribute(holder, "type") ?? "body";
        const own = Number(attribute(child(shape, "txBody", "lstStyle", "lvl1pPr", "defRPr"), "sz")) / 100 || null;
        const anchor = attribute(child(shape, "txBody", "bodyPr"), "anchor");
        return [{ type, index: attribute(holder, "idx") ?? "", box: boxOf(child(shape, "spPr", "xfrm")), anchor, size: own ?? sizeOf(type) }];
      }),
    );
    const background = child(root, "cSld", "bg", "bgPr") ?? child(masterRoot, "cSld", "bg", "bgPr") ?? child(masterRoot, "cSld", "bg", "bgRef");
    return { holders, background, colours: coloursOf(await this.archive.xml(theme)) };
  }

  private collect(tree: Element | null, place: (box: Box) => Box, into: { model: Model; pictures: ReadonlyMap<string, string>; shapes: Shape[] }): void {
    for (const one of children(tree)) {
      if (one.localName === "grpSp") this.collect(one, within(child(one, "grpSpPr", "xfrm"), place), into);
      else if (one.localName === "sp" || one.localName === "cxnSp") this.text(one, place, into);
      else if (one.localName === "pic") this.picture(one, place, into);
      else if (one.localName === "graphicFrame") this.table(one, place, into);
    }
  }

  private add(box: Box | null, place: (box: Box) => Box, shapes: Shape[], rest: Partial<Shape>): void {
    if (!box) return;
    const [x, y, width, height] = place(box);
    const parts = { x: x / this.width, y: y / this.height, width: width / this.width, height: height / this.height };
    shapes.push({ fill: null, anchor: "start", picture: null, paragraphs: [], table: null, ...parts, ...rest });
  }

  private text(shape: Element, place: (box: Box) => Box, { model, shapes }: { model: Model; shapes: Shape[] }): void {
    const holder = child(shape, "nvSpPr", "nvPr", "ph");
    const [type, index] = [attribute(holder, "type") ?? "body", attribute(holder, "idx") ?? ""];
    const models = holder ? model.holders.filter((one) => (index ? one.index === index : same(one.type, type))).concat(model.holders.filter((one) => same(one.type, type))) : [];
    const box = boxOf(child(shape, "spPr", "xfrm")) ?? models.find((one) => one.box)?.box ?? null;
    const size = models.find((one) => one.size)?.size ?? 18;
    const body = child(shape, "txBody");
    const anchor = attribute(child(body, "bodyPr"), "anchor") ?? models.find((one) => one.anchor)?.anchor ?? "";
    const isList = holder !== null && ["body", "obj"].includes(type) ;
    const paragraphs = children(body, "p").map((paragraph) => paragraphOf(paragraph, size, isList, model.colours, TITLES.has(type) && type === "ctrTitle"));
    const fill = colourOf(child(shape, "spPr"), model.colours);
    if (fill || paragraphs.some(({ runs }) => runs.length > 0)) this.add(box, place, shapes, { fill, anchor: ANCHORS[anchor] ?? "start", paragraphs });
  }

  private picture(picture: Element, place: (box: Box) => Box, { pictures, shapes }: { pictures: ReadonlyMap<string, string>; shapes: Shape[] }): void {
    const src = pictures.get(attribute(child(picture, "blipFill", "blip"), "embed") ?? "");
    if (src) this.add(boxOf(child(picture, "spPr", "xfrm")), place, shapes, { picture: src });
  }

  private table(frame: Element, place: (box: Box) => Box, { shapes }: { shapes: Shape[] }): void {
    const rows = all(frame, "tr").map((row) => children(row, "tc").map((cell) => all(cell, "t").map((one) => one.textContent ?? "").join(" ")));
    if (rows.length > 0) this.add(boxOf(child(frame, "xfrm")), place, shapes, { table: rows });
  }
}

const same = (one: string, other: string): boolean => one === other || (TITLES.has(one) && TITLES.has(other)) || (["body", "obj", "subTitle"].includes(one) && ["body", "obj", "subTitle"].includes(other));

function boxOf(transform: Element | null): Box | null {
  const [offset, extent] = [child(transform, "off"), child(transform, "ext")];
  if (!offset || !extent) return null;
  return [attribute(offset, "x"), attribute(offset, "y"), attribute(extent, "cx"), attribute(extent, "cy")].map(Number) as Box;
}

/** Where something in a group stands on the slide. */
function within(transform: Element | null, place: (box: Box) => Box): (box: Box) => Box {
  const box = boxOf(transform);
  const [offset, extent] = [child(transform, "chOff"), child(transform, "chExt")];
  if (!box || !offset || !extent) return place;
  const [left, top, wide, high] = [attribute(offset, "x"), attribute(offset, "y"), attribute(extent, "cx"), attribute(extent, "cy")].map(Number) as Box;
  const [across, down] = [wide ? box[2] / wide : 1, high ? box[3] / high : 1];
  return ([x, y, width, height]) => place([box[0] + (x - left) * across, box[1] + (y - top) * down, width * across, height * down]);
}

function paragraphOf(paragraph: Element, size: number, isList: boolean, colours: Colours, isCentred: boolean): SlideParagraph {
  const properties = child(paragraph, "pPr");
  const runs = children(paragraph).flatMap((one): SlideRun[] => {
    if (one.localName === "br") return [{ text: "\n", isBold: false, isItalic: false, size, colour: null }];
    if (one.localName !== "r" && one.localName !== "fld") return [];
    const own = child(one, "rPr");
    const flag = (name: string) => ["1", "true"].includes(attribute(own, name) ?? "");
    return [{ text: child(one, "t")?.textContent ?? "", isBold: flag("b"), isItalic: flag("i"), size: Number(attribute(own, "sz")) / 100 || size, colour: colourOf(own, colours) }];
  });
  const hasBullet = runs.length > 0 && !child(properties, "buNone") && (isList || child(properties, "buChar") !== null || child(properties, "buAutoNum") !== null);
  return { align: ALIGNS[attribute(properties, "algn") ?? ""] ?? (isCentred ? "center" : "start"), depth: Number(attribute(properties, "lvl") ?? 0), hasBullet, runs };
}

const isColour = (value: string | null): boolean => /^[\dA-Fa-f]{6}$/.test(value ?? "");

function coloursOf(theme: Element | null): Colours {
  return new Map(children(all(theme, "clrScheme")[0]).flatMap((one) => {
    const value = attribute(child(one, "srgbClr"), "val") ?? attribute(child(one, "sysClr"), "lastClr");
    return isColour(value) ? [[one.localName, `#${value}`] as const] : [];
  }));
}

/** The plain colour that something is filled with; null for none, and for what is no plain one. */
function colourOf(place: Element | null, colours: Colours): string | null {
  const fill = place?.localName === "bgRef" ? place : child(place, "solidFill");
  const own = attribute(child(fill, "srgbClr"), "val");
  if (isColour(own)) return `#${own}`;
  const name = attribute(child(fill, "schemeClr"), "val") ?? "";
  return colours.get(MAPPED[name] ?? name) ?? null;
}
