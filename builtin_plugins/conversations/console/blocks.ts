/**
 * An answer as it grows, cut into blocks of Markdown: those that are closed never change again, so that only the
 * last one has to be read anew. No block grows past a limit, and what a token costs does not depend on how much
 * came before it.
 */

export interface Block {
  text: string;
  /** It goes on where the one before was cut for its length. */
  continues: boolean;
}

/** After how many characters a block is cut at the next good place, and after how many anywhere. */
const LONG = 2_000;
const TOO_LONG = 2_500;
/** Closed blocks of one section; a section is drawn once. */
export const SECTION = 16;

const FENCE = /^( {0,3})(`{3,}|~{3,})(.*)$/;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const INNER_ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;
const DIVIDER = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*$/;

interface Fence {
  marker: string;
  head: string;
  /** It stands in a list, whose end it is not. */
  isInner: boolean;
}

export class BlockSplitter {
  /** Closed blocks in sections of their own; an array that was given out is never changed. */
  sections: readonly (readonly Block[])[] = [];
  private body = "";
  private line = "";
  private continues = false;
  private fence: Fence | null = null;
  private isList = false;
  private hadBlank = false;
  /** How far the rest of a list is set in that was cut inside: its lines are set back by as much. */
  private indent = 0;

  /** The block that still grows. */
  get open(): Block {
    return { text: this.body + setBack(this.line, this.indent), continues: this.continues };
  }

  push(delta: string): void {
    let from = 0;
    for (let end = delta.indexOf("\n"); end >= 0; end = delta.indexOf("\n", from)) {
      this.line += delta.slice(from, end + 1);
      from = end + 1;
      this.takeLine();
    }
    this.line += delta.slice(from);
    while (this.line.length > TOO_LONG) this.cutLine();
  }

  end(): void {
    if (this.line) this.takeLine();
    // Code that was cut behind its last line goes on with nothing.
    if (this.continues && this.body === this.fence?.head) this.body = "";
    this.close(false);
    this.fence = null;
  }

  private takeLine(): void {
    while (this.line.length > TOO_LONG) this.cutLine();
    const whole = this.line;
    this.line = "";
    if (whole.trim() !== "") this.indent = Math.min(this.indent, indentOf(whole));
    const line = setBack(whole, this.indent);
    if (this.fence) this.takeCode(line, this.fence);
    else this.takeText(line);
  }

  private takeCode(line: string, fence: Fence): void {
    this.body += line;
    const closing = FENCE.exec(line.trimEnd());
    const isEnd = closing?.[2]?.startsWith(fence.marker) && !closing[3]?.trim();
    if (isEnd) {
      this.fence = null;
      if (!fence.isInner) this.close(false);
    } else if (this.body.length > LONG && line.endsWith("\n")) {
      this.cutCode(fence);
    }
  }

  private takeText(line: string): void {
    const isBlank = line.trim() === "";
    if (isBlank) {
      if (this.isList) this.hadBlank = true;
      else return this.close(false);
    } else if (this.isList && this.hadBlank && !/^\s/.test(line) && !ITEM.test(line)) {
      this.close(false);
    }
    const fence = FENCE.exec(line.trimEnd());
    if (fence) {
      const isInner = this.isList && Boolean(fence[1]);
      if (!isInner) this.close(false);
      this.fence = { marker: fence[2] ?? "```", head: line, isInner };
    } else if (HEADING.test(line)) {
      this.close(false);
      this.body = line;
      return this.close(false);
    } else if (this.body.length > LONG && (!this.isList || ITEM.test(line))) {
      this.cutText();
    } else if (!isBlank && this.isList && this.body.length > (INNER_ITEM.test(line) ? TOO_LONG : 2 * LONG)) {
      return this.cutList(line);
    }
    if (!isBlank) this.hadBlank = false;
    if (this.body === "" && ITEM.test(line)) this.isList = true;
    this.body += line;
  }

  /** A table goes on under its own head. */
  private cutText(): void {
    const [head = "", divider = ""] = this.body.split("\n", 2);
    const isList = this.isList;
    this.close(true);
    this.isList = isList;
    if (DIVIDER.test(divider)) this.body = `${head}\n${divider}\n`;
  }

  /** A list goes on with an item inside it, as if that were one of its own. */
  private cutList(line: string): void {
    const inner = indentOf(line);
    this.close(true);
    this.isList = true;
    this.indent += inner;
    this.body = setBack(line, inner);
  }

  private cutCode(fence: Fence): void {
    this.body += fence.marker;
    this.close(true);
    this.body = fence.isInner ? fence.head.trimStart() : fence.head;
    this.fence = { ...fence, isInner: false };
  }

  /** A line without an end: cut behind a word where there is one, and between two whole characters. */
  private cutLine(): void {
    const space = this.line.lastIndexOf(" ", LONG);
    let at = space > LONG / 2 ? space + 1 : LONG;
    if (isHighSurrogate(this.line, at - 1)) at -= 1;
    const rest = this.line.slice(at);
    this.body += this.line.slice(0, at);
    if (this.fence) {
      this.body += "\n";
      this.cutCode(this.fence);
    } else {
      this.close(true);
    }
    this.line = rest;
  }

  private close(isCut: boolean): void {
    if (this.body.trim() !== "") this.keep({ text: this.body, continues: this.continues });
    this.body = "";
    this.continues = isCut;
    if (!isCut) this.indent = 0;
    this.isList = false;
    this.hadBlank = false;
  }

  private keep(block: Block): void {
    const last = this.sections.at(-1);
    this.sections =
      last && last.length < SECTION ? [...this.sections.slice(0, -1), [...last, block]] : [...this.sections, [block]];
  }
}

const indentOf = (line: string) => line.length - line.trimStart().length;
const setBack = (line: string, indent: number) => (indent === 0 ? line : line.slice(Math.min(indent, indentOf(line))));

function isHighSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff;
}

/** The sections of an answer that is whole. */
export function sectionsOf(text: string): readonly (readonly Block[])[] {
  const splitter = new BlockSplitter();
  splitter.push(text);
  splitter.end();
  return splitter.sections;
}
