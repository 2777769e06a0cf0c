/** What is to be said of single lines of a text, below each: what is wrong there, in words. */

import { StateField, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";

import type { LineMark } from "./Editor";

class Words extends WidgetType {
  constructor(private readonly message: string) {
    super();
  }

  override eq(other: Words): boolean {
    return other.message === this.message;
  }

  toDOM(): HTMLElement {
    const words = document.createElement("div");
    words.className = "cm-fault-words";
    words.textContent = this.message;
    return words;
  }
}

const faulty = Decoration.line({ class: "cm-fault" });
const theme = EditorView.theme({
  ".cm-fault": { backgroundColor: "color-mix(in srgb, var(--danger) 10%, transparent)" },
  ".cm-fault-words": { padding: "0 16px 4px", color: "var(--danger)", font: "12px/20px system-ui, sans-serif" },
});

/** Marks lines until the text is changed around them; a line that is not there is the last. */
export function lineMarks(marks: readonly LineMark[]): Extension {
  const field = StateField.define<DecorationSet>({
    create: (state) => decorated(state, marks),
    update: (set, transaction) => set.map(transaction.changes),
    provide: (own) => EditorView.decorations.from(own),
  });
  return [field, theme];
}

function decorated(state: EditorState, marks: readonly LineMark[]): DecorationSet {
  const ranges = marks.flatMap(({ line, message }) => {
    const { from, to } = state.doc.line(Math.max(1, Math.min(line, state.doc.lines)));
    return [faulty.range(from), Decoration.widget({ widget: new Words(message), block: true, side: 1 }).range(to)];
  });
  return Decoration.set(ranges, true);
}
