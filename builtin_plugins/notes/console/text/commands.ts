/** What the toolbar and the keys do with a text in Markdown. */

import { ensureSyntaxTree } from "@codemirror/language";
import { EditorSelection, type ChangeSpec, type EditorState, type Line, type SelectionRange, type TransactionSpec } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";

import { asKind, headingLevel, isKind, listStart, quoteStart, withoutHeading, withoutKind, type LineKind } from "./lines";

/** What to do with a state; null where there is nothing for it to do. */
export type Change = (state: EditorState) => TransactionSpec | null;

export type Inline = "StrongEmphasis" | "Emphasis" | "Strikethrough" | "InlineCode";
const MARKS: Record<Inline, string> = { StrongEmphasis: "**", Emphasis: "*", Strikethrough: "~~", InlineCode: "`" };
const PATIENCE_MS = 50;

const edited = (spec: TransactionSpec): TransactionSpec => ({ scrollIntoView: true, userEvent: "input", ...spec });

/** The nodes around a place, the nearest first. */
export function* around(state: EditorState, at: number, side: -1 | 1 = -1): Generator<SyntaxNode> {
  const tree = ensureSyntaxTree(state, Math.min(state.doc.length, at + 1), PATIENCE_MS);
  for (let node: SyntaxNode | null = tree?.resolveInner(at, side) ?? null; node; node = node.parent) yield node;
}

function enclosing(state: EditorState, range: SelectionRange, name: string): SyntaxNode | null {
  for (const side of [-1, 1] as const)
    for (const node of around(state, range.from, side)) if (node.name === name && node.from <= range.from && node.to >= range.to) return node;
  return null;
}

/** Gives what is selected, or the word at the caret, a mark on both sides, or takes it away. */
export function toggleInline(name: Inline): Change {
  return (state) =>
    edited(
      state.changeByRange((range) => {
        const node = enclosing(state, range, name);
        const [first, last] = [node?.firstChild, node?.lastChild];
        if (first && last && first.from < last.from) {
          const width = first.to - first.from;
          const changes = [{ from: first.from, to: first.to }, { from: last.from, to: last.to }];
          const within = (at: number) => Math.max(first.from, Math.min(at, last.from) - width);
          return { changes, range: EditorSelection.range(within(range.anchor), within(range.head)) };
        }
        const mark = MARKS[name];
        const { from, to } = wordsOf(state, range);
        const changes = [{ from, insert: mark }, { from: to, insert: mark }];
        return { changes, range: EditorSelection.range(from + mark.length, to + mark.length) };
      }),
    );
}

/** What is selected without blanks around it; the word at a caret. */
function wordsOf(state: EditorState, range: SelectionRange): { from: number; to: number } {
  const { from, to } = range.empty ? (state.wordAt(range.head) ?? range) : range;
  const text = state.sliceDoc(from, to);
  const end = to - (text.length - text.trimEnd().length);
  return { from: Math.min(end, from + (text.length - text.trimStart().length)), to: end };
}

function linesOf(state: EditorState): Line[] {
  const { from, to } = state.selection.main;
  const lines: Line[] = [];
  for (let at = from; at <= to; at = lines.at(-1)!.to + 1) lines.push(state.doc.lineAt(at));
  return lines;
}

function rewritten(state: EditorState, lines: readonly Line[], rewrite: (text: string, place: number) => string): TransactionSpec {
  const changes: ChangeSpec[] = [];
  lines.forEach((line, index) => {
    const text = rewrite(line.text, index + 1);
    if (text === line.text) return;
    // From the front on: the caret stays among its words.
    let same = 0;
    while (same < text.length && same < line.text.length && text.at(-1 - same) === line.text.at(-1 - same)) same += 1;
    changes.push({ from: line.from, to: line.to - same, insert: text.slice(0, text.length - same) });
  });
  const set = state.changes(changes);
  return edited({ changes: set, selection: state.selection.map(set, 1) });
}

/** Makes the lines headings of a level, or plain ones: level 0, or the one that they have. */
export function setHeading(level: number): Change {
  return (state) => {
    const lines = linesOf(state);
    const isAlready = lines.every(({ text }) => headingLevel(text) === level);
    const mark = level === 0 || isAlready ? "" : `${"#".repeat(level)} `;
    return rewritten(state, lines, (text) => mark + withoutHeading(text));
  };
}

export function toggleLines(kind: LineKind): Change {
  return (state) => {
    const all = linesOf(state);
    const lines = all.length > 1 ? all.filter(({ text }) => text.trim() !== "") : all;
    const isAlready = lines.every(({ text }) => isKind(text, kind));
    return rewritten(state, lines, (text, place) => (isAlready ? withoutKind(text, kind) : asKind(text, kind, place)));
  };
}

/** Code in a line, or lines of it. */
export const toggleCode: Change = (state) => {
  const { from, to, empty } = state.selection.main;
  const [first, last] = [state.doc.lineAt(from), state.doc.lineAt(to)];
  if (first.number === last.number && !(empty && first.text.trim() === "")) return toggleInline("InlineCode")(state);
  const changes = [{ from: first.from, insert: "```\n" }, { from: last.to, insert: "\n```" }];
  return edited({ changes, selection: { anchor: from + 4, head: to + 4 } });
};

const ADDRESS = /^(?:https?:\/\/|mailto:|\/)\S+$/;
const PLACEHOLDER = "https://";

/** A link around what is selected; the part that is missing is selected then. */
export const insertLink: Change = (state) => {
  const { from, to } = state.selection.main;
  const text = state.sliceDoc(from, to);
  if (ADDRESS.test(text)) return edited({ changes: { from, to, insert: `[](${text})` }, selection: { anchor: from + 1 } });
  const at = from + text.length + 3;
  const selection = text === "" ? { anchor: from + 1 } : { anchor: at, head: at + PLACEHOLDER.length };
  return edited({ changes: { from, to, insert: `[${text}](${PLACEHOLDER})` }, selection });
};

/** An address over words that are selected makes them a link. */
export function linkTo(address: string): Change {
  return (state) => {
    const { from, to, empty } = state.selection.main;
    const text = state.sliceDoc(from, to);
    if (empty || !ADDRESS.test(address.trim()) || /[\n[\]]/.test(text) || ADDRESS.test(text)) return null;
    const insert = `[${text}](${address.trim()})`;
    return edited({ changes: { from, to, insert }, selection: { anchor: from + insert.length } });
  };
}

/** What stands on lines of its own, behind the line of the caret. */
export function insertBlock(text: string, caret: number): Change {
  return (state) => {
    const line = state.doc.lineAt(state.selection.main.to);
    const before = line.text.trim() === "" ? "" : "\n\n";
    const at = line.text.trim() === "" ? line.from : line.to;
    const insert = `${before}${text}\n`;
    return edited({ changes: { from: at, to: line.to, insert }, selection: { anchor: at + before.length + caret } });
  };
}

const isInCode = (state: EditorState, at: number) => [...around(state, at)].some(({ name }) => name === "FencedCode" || name === "CodeBlock");

/** Enter in a list or a quote goes on with it; in an item without words it ends it. */
export const continueList: Change = (state) => {
  const { head, empty } = state.selection.main;
  const line = state.doc.lineAt(head);
  const list = listStart(line.text);
  const quote = list ? "" : quoteStart(line.text);
  const length = list?.length ?? quote.length;
  if (!empty || length === 0 || head - line.from < length || isInCode(state, head)) return null;
  if (line.text.slice(length).trim() === "") {
    const outer = list && list.indent !== "" ? outdented(line.text) : "";
    return edited({ changes: { from: line.from, to: line.to, insert: outer }, selection: { anchor: line.from + outer.length } });
  }
  const bullet = list?.number == null ? list?.bullet : `${list.number + 1}${list.bullet.slice(-1)}`;
  const insert = `\n${list ? `${list.indent}${bullet} ${list.task ? "[ ] " : ""}` : quote}`;
  return edited({ changes: { from: head, insert }, selection: { anchor: head + insert.length } });
};

/** Backspace right behind the mark of a list or a quote takes the mark. */
export const deleteMark: Change = (state) => {
  const { head, empty } = state.selection.main;
  const line = state.doc.lineAt(head);
  const list = listStart(line.text);
  const length = list?.length ?? quoteStart(line.text).length;
  if (!empty || length === 0 || head - line.from !== length || isInCode(state, head)) return null;
  return edited({ changes: { from: line.from + (list?.indent.length ?? 0), to: head }, userEvent: "delete.backward" });
};

const outdented = (text: string) => text.replace(/^(?:\t| {1,3})/, "");

/** Moves items of a list in or out; null outside of one, where Tab leaves the text. */
export function indentList(by: 1 | -1): Change {
  return (state) => {
    const lines = linesOf(state);
    if (!lines.every(({ text }) => listStart(text))) return null;
    if (by < 0 && !lines.some(({ text }) => /^[ \t]/.test(text))) return null;
    const width = listStart(lines[0]!.text)!.bullet.length + 1;
    return rewritten(state, lines, (text) => (by > 0 ? " ".repeat(width) + text : outdented(text)));
  };
}

/** Ticks the tasks of the selected lines, or takes the ticks away. */
export const toggleTask: Change = (state) => {
  const tasks = linesOf(state).flatMap((line) => {
    const task = listStart(line.text)?.task;
    return task ? [{ at: line.from + line.text.indexOf("[") + 1, isDone: task[1] !== " " }] : [];
  });
  if (tasks.length === 0) return null;
  const insert = tasks.every(({ isDone }) => isDone) ? " " : "x";
  return edited({ changes: tasks.map(({ at }) => ({ from: at, to: at + 1, insert })) });
};

export type Format = Inline | LineKind | "code" | "heading";

/** What the caret stands in. */
export function formatsAt(state: EditorState): ReadonlySet<Format> {
  const found = new Set<Format>();
  const { main } = state.selection;
  for (const name of Object.keys(MARKS) as Inline[]) if (enclosing(state, main, name)) found.add(name);
  if (found.has("InlineCode") || isInCode(state, main.head)) found.add("code");
  const { text } = state.doc.lineAt(main.head);
  for (const kind of ["bullet", "number", "task", "quote"] as const) if (isKind(text, kind)) found.add(kind);
  if (headingLevel(text)) found.add("heading");
  return found;
}

/** The address of the link at a place. */
export function addressAt(state: EditorState, at: number): string | null {
  for (const side of [-1, 1] as const)
    for (const node of around(state, at, side)) {
      const url = node.name === "URL" ? node : node.name === "Link" || node.name === "Autolink" ? node.getChild("URL") : null;
      if (url) return state.sliceDoc(url.from, url.to);
    }
  return null;
}
