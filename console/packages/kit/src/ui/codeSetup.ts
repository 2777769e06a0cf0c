/** How the editor looks and behaves, whatever is written in it. */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { defineLanguageFacet, HighlightStyle, Language, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Prec, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap, highlightSpecialChars, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { GFM, parser } from "@lezer/markdown";

import type { EditorProps } from "./Editor";

const markdown = new Language(defineLanguageFacet(), parser.configure(GFM), [], "markdown");

const json = StreamLanguage.define<{ isKey: boolean }>({
  name: "json",
  startState: () => ({ isKey: false }),
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^"(?:[^"\\]|\\.)*"(?=\s*:)/)) return "propertyName";
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return "string";
    if (stream.match(/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/)) return "number";
    if (stream.match(/^(?:true|false|null)\b/)) return "keyword";
    stream.next();
    return null;
  },
});

/** Shape before colour: the theme has few colours, and all of them must stay legible. */
const highlighting = HighlightStyle.define([
  { tag: tags.heading, fontWeight: "600" },
  { tag: tags.strong, fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: [tags.link, tags.url, tags.propertyName], color: "var(--accent)" },
  { tag: tags.monospace, fontFamily: "ui-monospace, monospace", fontSize: "13px" },
  { tag: [tags.processingInstruction, tags.meta, tags.quote, tags.contentSeparator, tags.labelName], color: "var(--muted)" },
  { tag: [tags.number, tags.keyword], color: "var(--muted)", fontWeight: "600" },
]);

const control = { border: "1px solid var(--border)", borderRadius: "var(--radius)", background: "var(--surface)", color: "inherit", font: "inherit" };

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { font: "14px/22px system-ui, sans-serif", overflow: "auto" },
  ".cm-content": { padding: "12px 0", caretColor: "var(--text)", overflowWrap: "anywhere" },
  ".cm-line": { padding: "0 16px", unicodeBidi: "plaintext" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--accent) 24%, transparent)",
  },
  ".cm-selectionMatch, .cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--accent) 16%, transparent)" },
  ".cm-searchMatch-selected": { outline: "1px solid var(--accent)" },
  ".cm-specialChar": { color: "var(--danger)" },
  ".cm-panels": { backgroundColor: "var(--well)", color: "var(--text)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--border)" },
  ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--border)" },
  ".cm-panel.cm-search": { font: "12px/20px system-ui, sans-serif", padding: "8px 32px 8px 12px" },
  ".cm-textfield": { ...control, padding: "2px 8px" },
  ".cm-button": { ...control, backgroundImage: "none", padding: "2px 8px" },
  ".cm-panel button:focus-visible, .cm-panel input:focus-visible": { outline: "2px solid var(--focus)" },
});

const growing = EditorView.theme({ ".cm-scroller": { minHeight: "96px", maxHeight: "60vh" } });
const code = EditorView.theme({
  ".cm-scroller": { font: "13px/20px ui-monospace, monospace" },
  ".cm-gutters": { color: "var(--muted)", backgroundColor: "transparent", border: "none" },
});

/**
 * Typing over what is selected is done here: the browser would give the new text the looks of the old one,
 * by a style of its own that the policy refuses.
 */
const typingOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const isTyped = event.inputType === "insertText" && event.data !== null && !event.isComposing && !view.composing;
    if (!isTyped || view.state.readOnly || view.state.selection.main.empty) return false;
    view.dispatch(view.state.replaceSelection(event.data!), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

/** Deeper than this nobody nests by hand, and what walks the tree would run out of room. */
const LONGEST_LINE = 2_000;

/** Whether some line is so long that what it nests, as quotes or lists, may be too deep to be told apart. */
export function hasEndlessLine(text: string): boolean {
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf("\n", from);
    const to = end < 0 ? text.length : end;
    if (to - from > LONGEST_LINE && NESTING.test(text.slice(from, from + LONGEST_LINE))) return true;
    from = to + 1;
  }
  return false;
}

const NESTING = /^(?:[\s>]|[-*+]\s|\d{1,9}[.)]\s){200}/;

/** All but what depends on the language and the labels. Tab leaves the text, as everywhere on a page. */
export function writing(grows: boolean): Extension {
  return [
    history(),
    drawSelection(),
    highlightSpecialChars(),
    highlightSelectionMatches(),
    typingOver,
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
    EditorView.lineWrapping,
    // A style nonce is not needed: in a shadow root the sheets are constructed.
    theme,
    grows ? growing : [],
  ];
}

export function languageOf(language: EditorProps["language"]): Extension {
  if (language === "markdown") return [markdown, syntaxHighlighting(highlighting)];
  if (language === "json") return [json, Prec.high(code), lineNumbers(), syntaxHighlighting(highlighting)];
  return [];
}
