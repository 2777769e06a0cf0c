import { defineLanguageFacet, Language } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { GFM, parser } from "@lezer/markdown";
import { expect, test } from "vitest";

import {
  addressAt, continueList, deleteMark, formatsAt, indentList, insertBlock, insertLink, linkTo, setHeading, toggleCode, toggleInline, toggleLines, toggleTask,
  type Change,
} from "./commands";

const markdown = new Language(defineLanguageFacet(), parser.configure(GFM), [], "markdown");

/** A text with `|` where the selection begins and ends. */
function stateOf(text: string): EditorState {
  const [anchor, end] = [text.indexOf("|"), text.lastIndexOf("|")];
  const doc = text.replaceAll("|", "");
  return EditorState.create({ doc, selection: { anchor, head: end > anchor ? end - 1 : anchor }, extensions: [markdown] });
}

function shown(state: EditorState): string {
  const { from, to, empty } = state.selection.main;
  const doc = state.doc.toString();
  return empty ? `${doc.slice(0, from)}|${doc.slice(from)}` : `${doc.slice(0, from)}|${doc.slice(from, to)}|${doc.slice(to)}`;
}

function after(text: string, change: Change): string | null {
  const state = stateOf(text);
  const spec = change(state);
  return spec && shown(state.update(spec).state);
}

test("words are marked and unmarked", () => {
  expect(after("a |calm| day", toggleInline("StrongEmphasis"))).toBe("a **|calm|** day");
  expect(after("a **|calm|** day", toggleInline("StrongEmphasis"))).toBe("a |calm| day");
  expect(after("a ca|lm day", toggleInline("Emphasis"))).toBe("a *|calm|* day");
  expect(after("a **ca|lm** day", toggleInline("StrongEmphasis"))).toBe("a ca|lm day");
  expect(after("a | calm |day", toggleInline("Emphasis"))).toBe("a  *|calm|* day");
  expect(after("|", toggleInline("StrongEmphasis"))).toBe("**|**");
});

test("lines become headings, lists, tasks and quotes, and plain again", () => {
  expect(after("on|e", setHeading(2))).toBe("## on|e");
  expect(after("## on|e", setHeading(2))).toBe("on|e");
  expect(after("# on|e", setHeading(3))).toBe("### on|e");
  expect(after("|one\ntwo|", toggleLines("bullet"))).toBe("- |one\n- two|");
  expect(after("|one\n\ntwo|", toggleLines("number"))).toBe("1. |one\n\n2. two|");
  expect(after("- on|e", toggleLines("task"))).toBe("- [ ] on|e");
  expect(after("- [x] on|e", toggleLines("task"))).toBe("on|e");
  expect(after("on|e", toggleLines("quote"))).toBe("> on|e");
  expect(after("> on|e", toggleLines("quote"))).toBe("on|e");
});

test("code is in a line, or lines", () => {
  expect(after("a |word| here", toggleCode)).toBe("a `|word|` here");
  expect(after("|one\ntwo|", toggleCode)).toBe("```\n|one\ntwo|\n```");
  expect(after("|", toggleCode)).toBe("```\n|\n```");
});

test("links are made of words and of addresses", () => {
  expect(after("see |this|", insertLink)).toBe("see [this](|https://|)");
  expect(after("|https://a.example|", insertLink)).toBe("[|](https://a.example)");
  expect(after("|", insertLink)).toBe("[|](https://)");
  expect(after("see |this|", linkTo("https://a.example"))).toBe("see [this](https://a.example)|");
  expect(after("see |this|", linkTo("no address"))).toBe(null);
  expect(addressAt(stateOf("see [th|is](/notes/note_1)"), 8)).toBe("/notes/note_1");
});

test("Enter goes on with a list, and ends it where nothing was written", () => {
  expect(after("- one|", continueList)).toBe("- one\n- |");
  expect(after("  9. one|", continueList)).toBe("  9. one\n  10. |");
  expect(after("- [x] one|", continueList)).toBe("- [x] one\n- [ ] |");
  expect(after("- one\n- |", continueList)).toBe("- one\n|");
  expect(after("- one\n  - |", continueList)).toBe("- one\n- |");
  expect(after("> one|", continueList)).toBe("> one\n> |");
  expect(after("|- one", continueList)).toBe(null);
  expect(after("```\n- one|\n```", continueList)).toBe(null);
  expect(after("one|", continueList)).toBe(null);
});

test("Tab moves items alone, and Backspace takes a mark", () => {
  expect(after("- on|e", indentList(1))).toBe("  - on|e");
  expect(after("  - on|e", indentList(-1))).toBe("- on|e");
  expect(after("1. on|e", indentList(1))).toBe("   1. on|e");
  expect(after("on|e", indentList(1))).toBe(null);
  expect(after("- [ ] |one", deleteMark)).toBe("|one");
  expect(after("- o|ne", deleteMark)).toBe(null);
});

test("tasks are ticked, all that are selected", () => {
  expect(after("- [ ] on|e", toggleTask)).toBe("- [x] on|e");
  expect(after("- [x] on|e", toggleTask)).toBe("- [ ] on|e");
  expect(after("|- [x] one\n- [ ] two|", toggleTask)).toBe("|- [x] one\n- [x] two|");
  expect(after("- on|e", toggleTask)).toBe(null);
});

test("a block stands on lines of its own", () => {
  expect(after("one|", insertBlock("| a |", 2))).toBe("one\n\n| |a |\n");
  expect(after("|", insertBlock("x", 1))).toBe("x|\n");
});

test("the toolbar knows what the caret stands in", () => {
  expect([...formatsAt(stateOf("- [ ] **on|e**"))].sort()).toEqual(["StrongEmphasis", "task"]);
  expect([...formatsAt(stateOf("## on|e"))]).toEqual(["heading"]);
  expect([...formatsAt(stateOf("```\non|e\n```"))]).toEqual(["code"]);
});
