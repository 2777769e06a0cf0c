/** What office programs write is a ZIP of XML: its parts, each read when it is asked for, and none beyond a limit. */

export class Broken extends Error {}

const MAX_PART_BYTES = 24 * 1024 * 1024;
const END_BYTES = 22;
const LONGEST_COMMENT = 65_535;
const [END_MARK, ENTRY_MARK, LOCAL_MARK] = [0x06054b50, 0x02014b50, 0x04034b50];
const [STORED, DEFLATED] = [0, 8];

interface Part {
  method: number;
  packed: number;
  offset: number;
}

export class Archive {
  private readonly view: DataView;
  private readonly parts = new Map<string, Part>();

  constructor(private readonly bytes: ArrayBuffer) {
    this.view = new DataView(bytes);
    try {
      this.readDirectory();
    } catch (cause) {
      throw cause instanceof Broken ? cause : new Broken("no archive", { cause });
    }
  }

  get names(): string[] {
    return [...this.parts.keys()];
  }

  private readDirectory(): void {
    const { view } = this;
    let end = view.byteLength - END_BYTES;
    const lowest = Math.max(0, end - LONGEST_COMMENT);
    while (end >= lowest && view.getUint32(end, true) !== END_MARK) end -= 1;
    if (end < lowest) throw new Broken("no archive");
    const count = view.getUint16(end + 10, true);
    let at = view.getUint32(end + 16, true);
    const decoder = new TextDecoder();
    for (let entry = 0; entry < count; entry += 1) {
      if (view.getUint32(at, true) !== ENTRY_MARK) throw new Broken("no directory");
      const [nameLength, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true)) as [number, number, number];
      const name = decoder.decode(new Uint8Array(this.bytes, at + 46, nameLength));
      const [method, packed, offset] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true), view.getUint32(at + 42, true)];
      this.parts.set(name, { method, packed, offset });
      at += 46 + nameLength + extra + comment;
    }
  }

  /** The bytes of a part up to a limit, beyond which there is either no part or, `isCut`, its beginning. */
  async read(name: string, limit = MAX_PART_BYTES, isCut = false): Promise<{ bytes: Uint8Array<ArrayBuffer>; isWhole: boolean } | null> {
    const part = this.parts.get(name);
    if (!part) return null;
    const { view } = this;
    if (view.getUint32(part.offset, true) !== LOCAL_MARK) throw new Broken(name);
    const start = part.offset + 30 + view.getUint16(part.offset + 26, true) + view.getUint16(part.offset + 28, true);
    const packed = new Uint8Array(this.bytes, start, part.packed);
    if (part.method === STORED) return { bytes: packed.slice(0, limit), isWhole: packed.length <= limit };
    if (part.method !== DEFLATED) throw new Broken(name);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let length = 0;
    for (const reader = stream.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value as Uint8Array<ArrayBuffer>);
      length += value.length;
      if (length > limit) {
        await reader.cancel();
        if (!isCut) throw new Broken(`${name} is too large`);
        break;
      }
    }
    return { bytes: new Uint8Array(await new Blob(chunks).arrayBuffer()), isWhole: length <= limit };
  }

  async text(name: string): Promise<string | null> {
    const found = await this.read(name);
    return found && new TextDecoder().decode(found.bytes);
  }

  /** A part as XML; null where there is none. */
  async xml(name: string): Promise<Element | null> {
    const text = await this.text(name);
    return text === null ? null : parseXml(text);
  }

  /** What a part refers to, by the ids of its relations: names of parts, and addresses elsewhere. */
  async relations(name: string): Promise<Map<string, { target: string; type: string; isOutside: boolean }>> {
    const slash = name.lastIndexOf("/") + 1;
    const root = await this.xml(`${name.slice(0, slash)}_rels/${name.slice(slash)}.rels`);
    const found = new Map<string, { target: string; type: string; isOutside: boolean }>();
    for (const one of all(root, "Relationship")) {
      const target = one.getAttribute("Target") ?? "";
      const isOutside = one.getAttribute("TargetMode") === "External";
      const type = (one.getAttribute("Type") ?? "").split("/").at(-1) ?? "";
      found.set(one.getAttribute("Id") ?? "", { target: isOutside ? target : resolve(name.slice(0, slash), target), type, isOutside });
    }
    return found;
  }

  /** A picture as a `data:` address; null for what no browser shows. */
  async picture(name: string): Promise<string | null> {
    const type = PICTURES[name.split(".").at(-1)?.toLowerCase() ?? ""];
    const found = type ? await this.read(name) : null;
    if (!found) return null;
    return new Promise((done) => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result as string);
      reader.onerror = () => done(null);
      reader.readAsDataURL(new Blob([found.bytes], { type: type as string }));
    });
  }
}

const PICTURES: Record<string, string> = { png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg", gif: "image/gif", webp: "image/webp", bmp: "image/bmp" };

/** No document type, so that nothing in it can unfold. */
export function parseXml(text: string): Element {
  if (text.includes("<!DOCTYPE")) throw new Broken("document type");
  const root = new DOMParser().parseFromString(text, "application/xml").documentElement;
  if (root.localName === "parsererror" || root.querySelector("parsererror")) throw new Broken("no XML");
  return root;
}

function resolve(folder: string, target: string): string {
  const steps = (target.startsWith("/") ? target : `/${folder}${target}`).split("/").slice(1);
  const path: string[] = [];
  for (const step of steps) {
    if (step === "..") path.pop();
    else if (step !== ".") path.push(step);
  }
  return path.join("/");
}

/** The elements right below one, by their names without a namespace. */
export const children = (element: Element | null | undefined, name?: string): Element[] =>
  [...(element?.children ?? [])].filter((one) => name === undefined || one.localName === name);
export const child = (element: Element | null | undefined, ...path: string[]): Element | null =>
  path.reduce<Element | null>((found, name) => children(found, name)[0] ?? null, element ?? null);
export const all = (element: Element | null | undefined, name: string): Element[] => [...(element?.getElementsByTagNameNS("*", name) ?? [])];

/** The value of an attribute by its name, whatever its namespace is called. */
export function attribute(element: Element | null | undefined, name: string): string | null {
  return [...(element?.attributes ?? [])].find((one) => one.localName === name)?.value ?? null;
}

/** Whether a switch such as `<w:b/>` is on. */
export const isOn = (element: Element | null): boolean => element !== null && !["0", "false", "none"].includes(attribute(element, "val") ?? "");
