/** Markdown that looks like what it means while one writes it: its marks are seen where the caret is. */

import { syntaxTree } from "@codemirror/language";
import { type EditorState, type Extension, type Range } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import type { SyntaxNode, SyntaxNodeRef } from "@lezer/common";

import { addressOf } from "@guildhall/console/ui/sanitizeHtml";
import { cellsOf, columnsOf, MAX_MEASURED, TableRow } from "./tables";
import { BULLET, CheckBox, Picture, type WidgetTexts } from "./widgets";

const line = (name: string) => Decoration.line({ class: name });
const UNSEEN_LINE = line("cm-unseen");
const HIDDEN = Decoration.replace({});
const DIM = Decoration.mark({ class: "cm-dim" });
const INDENT = Decoration.mark({ class: "cm-indent" });
const CODE = Decoration.mark({ class: "cm-inline-code" });
const HEADING = /^(?:ATX|Setext)Heading(\d)$/;
const LINES: Record<string, Decoration> = {
  Blockquote: line("cm-quote"),
  FencedCode: line("cm-code-line"),
  CodeBlock: line("cm-code-line"),
  Table: line("cm-table-line"),
  HorizontalRule: line("cm-rule"),
};
const HEADINGS = [1, 2, 3, 4, 5, 6].map((level) => line(`cm-heading cm-heading-${level}`));
/** Marks that are seen where the caret is in what they mark. */
const INLINE = new Set(["Emphasis", "StrongEmphasis", "Strikethrough", "InlineCode", "Autolink"]);

class Drawing {
  private readonly found: Range<Decoration>[] = [];

  constructor(
    private readonly view: EditorView,
    private readonly texts: WidgetTexts,
  ) {}

  private get state(): EditorState {
    return this.view.state;
  }

  draw(): DecorationSet {
    const tree = syntaxTree(this.state);
    for (const { from, to } of this.view.visibleRanges) tree.iterate({ from, to, enter: (node) => this.enter(node, from, to) });
    return Decoration.set(this.found, true);
  }

  /** Whether the caret is in a part of the text, or at its edge. */
  private isAt(from: number, to: number): boolean {
    return this.view.hasFocus && !this.state.readOnly && this.state.selection.ranges.some((range) => range.from <= to && range.to >= from);
  }

  private isOnLine(at: number): boolean {
    const { from, to } = this.state.doc.lineAt(at);
    return this.isAt(from, to);
  }

  private add(decoration: Decoration, from: number, to = from): void {
    this.found.push(decoration.range(from, to));
  }

  /** A mark goes where the caret is not, and the blank behind it. */
  private mark(from: number, to: number, isSeen: boolean): void {
    if (isSeen) return this.add(DIM, from, to);
    const end = this.state.sliceDoc(to, to + 1) === " " ? to + 1 : to;
    if (end > from) this.add(HIDDEN, from, end);
  }

  private enter(node: SyntaxNodeRef, first: number, last: number): boolean | void {
    const { name, from, to } = node;
    const level = HEADING.exec(name)?.[1];
    const ofLines = level ? HEADINGS[Number(level) - 1] : LINES[name];
    if (ofLines) this.addLines(ofLines, Math.max(from, first), Math.min(to, last));
    if (name === "HeaderMark" || name === "QuoteMark") this.mark(from, to, this.isOnLine(from));
    else if (name === "HorizontalRule" && !this.isOnLine(from)) this.add(HIDDEN, from, to);
    else if (name === "FencedCode") return this.fences(node.node);
    else if (name === "Table" && !this.isAt(from, to)) return this.table(node.node, first, last);
    else if (name === "ListMark") this.listMark(node.node);
    else if (name === "TaskMarker") this.task(from, to);
    else if (name === "Image") return this.picture(node.node);
    else if (name === "Link") this.link(node.node);
    else if (name === "URL" && !node.node.parent?.name.match(/^(?:Link|Image|LinkReference)$/)) this.linked(from, to, this.state.sliceDoc(from, to));
    if (!INLINE.has(name)) return;
    if (name === "InlineCode") this.add(CODE, from, to);
    const isSeen = this.isAt(from, to);
    for (const mark of [node.node.firstChild, node.node.lastChild]) {
      if (!mark || !/Mark$/.test(mark.name)) continue;
      if (isSeen) this.add(DIM, mark.from, mark.to);
      else this.add(HIDDEN, mark.from, mark.to);
    }
  }

  private addLines(decoration: Decoration, from: number, to: number): void {
    for (let at = from; at <= to; ) {
      const { from: start, to: end } = this.state.doc.lineAt(at);
      this.add(decoration, start);
      at = end + 1;
    }
  }

  private fences(node: SyntaxNode): false {
    for (const mark of [...node.getChildren("CodeMark"), ...node.getChildren("CodeInfo")]) this.add(DIM, mark.from, mark.to);
    return false;
  }

  /** Row by row, in columns of one width; where the caret is it stays as it is written. */
  private table(node: SyntaxNode, first: number, last: number): false {
    const rows = [...node.getChildren("TableHeader"), ...node.getChildren("TableRow")];
    const cells = (row: SyntaxNode) => cellsOf(this.state.sliceDoc(row.from, row.to));
    const columns = columnsOf(rows.slice(0, MAX_MEASURED).map(cells));
    for (const row of rows) {
      if (row.to < first || row.from > last) continue;
      const widget = new TableRow(cells(row).slice(0, columns.length), columns, row.name === "TableHeader");
      this.add(Decoration.replace({ widget }), row.from, row.to);
    }
    for (const { from, to } of node.getChildren("TableDelimiter")) {
      this.add(UNSEEN_LINE, this.state.doc.lineAt(from).from);
      this.add(HIDDEN, from, to);
    }
    return false;
  }

  private listMark(mark: SyntaxNode): void {
    const { from } = this.state.doc.lineAt(mark.from);
    if (mark.from > from && this.state.sliceDoc(from, mark.from).trim() === "") this.add(INDENT, from, mark.from);
    const isNumbered = mark.parent?.parent?.name === "OrderedList";
    if (this.isAt(mark.from, mark.to) || isNumbered) return this.add(DIM, mark.from, mark.to);
    // A box stands for a task.
    if (mark.parent?.getChild("Task")) this.mark(mark.from, mark.to, false);
    else this.add(BULLET, mark.from, mark.to);
  }

  private task(from: number, to: number): void {
    if (this.isAt(from + 1, to - 1)) return this.add(DIM, from, to);
    const words = this.state.sliceDoc(to, this.state.doc.lineAt(to).to).trim();
    const isDone = this.state.sliceDoc(from + 1, to - 1) !== " ";
    this.add(Decoration.replace({ widget: new CheckBox(isDone, words, this.state.readOnly) }), from, to);
  }

  private picture(node: SyntaxNode): false {
    const url = node.getChild("URL");
    const [open, close] = node.getChildren("LinkMark");
    const address = url && addressOf(this.state.sliceDoc(url.from, url.to));
    if (!url || !open || !close || !address) return false;
    const widget = new Picture(address, this.state.sliceDoc(open.to, close.from), this.texts);
    if (!this.isAt(node.from, node.to)) this.add(Decoration.replace({ widget }), node.from, node.to);
    else {
      this.add(DIM, node.from, node.to);
      this.add(Decoration.widget({ widget, side: 1 }), node.to);
    }
    return false;
  }

  private link(node: SyntaxNode): void {
    const url = node.getChild("URL");
    const [open, close] = node.getChildren("LinkMark");
    if (!url || !open || !close || close.from <= open.to) return;
    this.linked(open.to, close.from, this.state.sliceDoc(url.from, url.to));
    const isSeen = this.isAt(node.from, node.to);
    for (const [from, to] of [[open.from, open.to], [close.from, node.to]] as const) {
      if (isSeen) this.add(DIM, from, to);
      else if (!this.state.sliceDoc(from, to).includes("\n")) this.add(HIDDEN, from, to);
    }
  }

  private linked(from: number, to: number, href: string): void {
    const address = addressOf(/^[\w.+-]+@[\w.-]+$/.test(href) ? `mailto:${href}` : href);
    if (address) this.add(Decoration.mark({ tagName: "a", class: "cm-followed", attributes: { href: address.href, title: address.href } }), from, to);
  }
}

/** Shows what is in view formatted; `onFollow` opens a link that is pressed. */
export function formatted(texts: WidgetTexts, onFollow: (address: string) => void): Extension {
  const plugin = ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;

      constructor(view: EditorView) {
        this.decorations = new Drawing(view, texts).draw();
      }

      update(update: ViewUpdate): void {
        const isParsed = syntaxTree(update.startState) !== syntaxTree(update.state);
        const isOther = update.docChanged || update.viewportChanged || update.selectionSet || update.focusChanged || isParsed;
        if (isOther || update.startState.readOnly !== update.state.readOnly) this.decorations = new Drawing(update.view, texts).draw();
      }
    },
    { decorations: (value) => value.decorations },
  );
  const following = EditorView.domEventHandlers({
    // Before the caret goes there, which would show the link's own marks.
    mousedown(event) {
      const link = event.button === 0 && !event.shiftKey && (event.target as Element).closest("a.cm-followed");
      if (link) event.preventDefault();
      return Boolean(link);
    },
    click(event) {
      const link = (event.target as Element).closest("a.cm-followed");
      if (!link || event.button !== 0) return false;
      event.preventDefault();
      onFollow(link.getAttribute("href") ?? "");
      return true;
    },
  });
  return [plugin, following, looks];
}

const code = { font: "13px/20px ui-monospace, monospace" };
const looks = EditorView.theme({
  ".cm-dim, .cm-dim *": { color: "var(--muted)", fontWeight: "400", fontStyle: "normal" },
  ".cm-heading": { fontWeight: "600", paddingTop: "12px" },
  ".cm-heading-1": { fontSize: "20px", lineHeight: "28px" },
  ".cm-heading-2": { fontSize: "17px", lineHeight: "26px" },
  ".cm-heading-3": { fontSize: "15px", lineHeight: "24px" },
  ".cm-quote": { color: "var(--muted)", borderInlineStart: "3px solid var(--border)", paddingInlineStart: "12px" },
  ".cm-code-line": { ...code, background: "var(--well)", paddingInline: "12px" },
  ".cm-table-line": { ...code, whiteSpace: "pre-wrap" },
  ".cm-table-line:has(.cm-row)": { font: "inherit" },
  ".cm-row": { display: "inline-grid", width: "100%", verticalAlign: "top", borderBottom: "1px solid var(--hairline)", font: "14px/20px system-ui, sans-serif", whiteSpace: "normal", cursor: "text" },
  ".cm-row > span": { padding: "4px 12px 4px 0", minWidth: "0", overflowWrap: "anywhere" },
  ".cm-row-head": { borderBottomColor: "var(--border)", fontWeight: "600" },
  ".cm-unseen": { fontSize: "0", lineHeight: "0" },
  ".cm-inline-code": { padding: "1px 4px", borderRadius: "calc(var(--radius) / 2)", background: "var(--hover)" },
  ".cm-rule": { position: "relative", minHeight: "22px" },
  ".cm-rule::after": { content: '""', position: "absolute", insetInline: "0", top: "50%", borderTop: "1px solid var(--border)", pointerEvents: "none" },
  ".cm-followed, .cm-followed *": { color: "var(--accent)", cursor: "pointer", textDecoration: "underline", textDecorationColor: "color-mix(in srgb, currentColor 40%, transparent)", textUnderlineOffset: "0.2em" },
  ".cm-bullet": { display: "inline-block", minWidth: "0.6em", color: "var(--muted)" },
  ".cm-indent": { letterSpacing: "0.4em" },
  ".cm-box": { width: "16px", height: "16px", margin: "0 6px 0 0", verticalAlign: "-3px", accentColor: "var(--accent)", cursor: "pointer" },
  ".cm-box:focus-visible": { outline: "2px solid var(--focus)", outlineOffset: "2px" },
  ".cm-picture": { display: "inline-block", maxWidth: "100%", verticalAlign: "top" },
  ".cm-picture img": { display: "block", maxWidth: "100%", maxHeight: "480px", borderRadius: "var(--radius)" },
  ".cm-picture-words": { padding: "2px 8px", border: "1px solid var(--border)", borderRadius: "var(--radius)", color: "var(--muted)" },
});
