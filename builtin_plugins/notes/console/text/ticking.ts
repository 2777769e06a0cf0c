/** Ticks the task whose box was pressed. */

import type { EditorState, TransactionSpec } from "@codemirror/state";

import { listStart } from "./lines";

export function toggleTaskAt(state: EditorState, at: number): TransactionSpec {
  const line = state.doc.lineAt(at);
  const task = listStart(line.text.replace(/^[ \t]*(?:>[ \t]?)+/, (quote) => " ".repeat(quote.length)))?.task;
  if (!task) return {};
  const place = line.from + line.text.indexOf("[") + 1;
  return { changes: { from: place, to: place + 1, insert: task[1] === " " ? "x" : " " }, userEvent: "input" };
}
