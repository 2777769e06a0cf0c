/** What a line of Markdown begins with: an indent, and the mark of a list, a task, a quote or a heading. */

export interface LineStart {
  indent: string;
  /** `-`, `*`, `+`, or a number with its sign. */
  bullet: string;
  number: number | null;
  /** `[ ] ` or `[x] `, with what follows it. */
  task: string;
  /** Where the words begin. */
  length: number;
}

const LIST = /^([ \t]*)(?:([-*+])|(\d{1,9})([.)]))([ \t]+)(\[[ xX]\](?:[ \t]+|$))?/;
const QUOTE = /^[ \t]*(?:>[ \t]?)+/;
const HEADING = /^(#{1,6})[ \t]+/;

export function listStart(text: string): LineStart | null {
  const found = LIST.exec(text);
  if (!found) return null;
  const [whole, indent = "", bullet, digits, sign = "", , task = ""] = found;
  return { indent, bullet: bullet ?? `${digits}${sign}`, number: digits ? Number(digits) : null, task, length: whole.length };
}

export const quoteStart = (text: string): string => QUOTE.exec(text)?.[0] ?? "";
export const headingLevel = (text: string): number => HEADING.exec(text)?.[1]?.length ?? 0;
export const withoutHeading = (text: string): string => text.replace(HEADING, "");

export type LineKind = "bullet" | "number" | "task" | "quote";

export function isKind(text: string, kind: LineKind): boolean {
  if (kind === "quote") return quoteStart(text) !== "";
  const start = listStart(text);
  if (!start) return false;
  if (kind === "number") return start.number !== null;
  return start.number === null && (start.task !== "") === (kind === "task");
}

/** The line as one of that kind; `place` counts those of a numbered list. */
export function asKind(text: string, kind: LineKind, place: number): string {
  if (kind === "quote") return `> ${text}`;
  const start = listStart(text);
  const indent = start?.indent ?? /^[ \t]*/.exec(text)![0];
  const words = withoutHeading(text.slice(start ? start.length : indent.length));
  if (kind === "number") return `${indent}${place}. ${words}`;
  return `${indent}- ${kind === "task" ? "[ ] " : ""}${words}`;
}

/** The line without its mark of that kind. */
export function withoutKind(text: string, kind: LineKind): string {
  if (kind === "quote") return text.replace(/^([ \t]*)>[ \t]?/, "$1");
  const start = listStart(text);
  return start ? start.indent + text.slice(start.length) : text;
}
