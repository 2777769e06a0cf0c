/** `[[` offers notes and files to link to, by their names. */

import { Prec, StateEffect, StateField, type EditorState, type Extension, type TransactionSpec } from "@codemirror/state";
import { EditorView, keymap, showTooltip, type TooltipView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

export interface Linked {
  type: string;
  title: string;
  /** Its place in the console. */
  path: string;
}

export interface LinkTexts {
  label: string;
  waiting: string;
  nothing: string;
  failed: string;
  typeOf: (type: string) => string;
}

export type FindLinks = (words: string) => Promise<Linked[]>;

interface Open {
  from: number;
  words: string;
  items: readonly Linked[];
  active: number;
  phase: "waiting" | "done" | "failed" | "dismissed";
}

const TYPED = /\[\[([^[\]\n]{0,80})$/;
const PAUSE_MS = 150;
const LIST = "note-links";

const arrived = StateEffect.define<Pick<Open, "words" | "items" | "phase">>();
const moved = StateEffect.define<number>();
const dismissed = StateEffect.define<null>();

/** What stands between `[[` and the caret. */
export function typedAt(state: EditorState): { from: number; words: string } | null {
  const { head, empty } = state.selection.main;
  const line = state.doc.lineAt(head);
  const found = empty && TYPED.exec(line.text.slice(0, head - line.from));
  return found ? { from: head - found[0].length, words: found[1] ?? "" } : null;
}

const open = StateField.define<Open | null>({
  create: () => null,
  update(before, transaction) {
    let now = before;
    for (const effect of transaction.effects) {
      if (!now) break;
      if (effect.is(dismissed)) now = { ...now, phase: "dismissed" };
      else if (effect.is(moved)) now = { ...now, active: effect.value };
      else if (effect.is(arrived) && effect.value.words === now.words && now.phase !== "dismissed") now = { ...now, ...effect.value, active: 0 };
    }
    if (!transaction.docChanged && !transaction.selection) return now;
    const typed = typedAt(transaction.state);
    if (!typed || (!now && !transaction.isUserEvent("input"))) return null;
    if (now?.from === typed.from && (now.words === typed.words || now.phase === "dismissed")) return { ...now, words: typed.words };
    return { ...typed, items: now?.items ?? [], active: 0, phase: "waiting" };
  },
  provide: (field) => [
    showTooltip.from(field, (now) => (now && now.phase !== "dismissed" ? { pos: now.from, create: listOf } : null)),
    EditorView.contentAttributes.compute([field], (state) => {
      const now = state.field(field);
      if (!now || now.phase === "dismissed") return { "aria-autocomplete": "list" };
      const active: Record<string, string> = now.items.length ? { "aria-activedescendant": `${LIST}-${now.active}` } : {};
      return { "aria-autocomplete": "list", "aria-controls": LIST, ...active };
    }),
  ],
});

/** A link in Markdown; brackets in a title would end it. */
export const linkText = ({ title, path }: Linked) => `[${title.replace(/\s+/g, " ").trim().replace(/[\\[\]]/g, "\\$&")}](${path})`;

function chosen(state: EditorState, item: Linked): TransactionSpec {
  const from = state.field(open)?.from ?? state.selection.main.head;
  const insert = linkText(item);
  return { changes: { from, to: state.selection.main.head, insert }, selection: { anchor: from + insert.length }, userEvent: "input.complete", scrollIntoView: true };
}

let texts: LinkTexts;

function listOf(view: EditorView): TooltipView {
  const dom = document.createElement("div");
  dom.className = "cm-links";
  const draw = () => {
    const now = view.state.field(open);
    if (!now) return;
    const words = document.createElement("p");
    words.setAttribute("role", "status");
    words.textContent = now.phase === "waiting" && !now.items.length ? texts.waiting : now.phase === "failed" ? texts.failed : texts.nothing;
    const list = document.createElement("ul");
    Object.assign(list, { id: LIST, role: "listbox", ariaLabel: texts.label });
    list.append(...now.items.map((item, index) => optionOf(view, item, index, index === now.active)));
    dom.replaceChildren(now.items.length ? list : words);
    list.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  };
  draw();
  return { dom, update: ({ startState, state }) => startState.field(open) !== state.field(open) && draw() };
}

function optionOf(view: EditorView, item: Linked, index: number, isActive: boolean): HTMLElement {
  const option = document.createElement("li");
  Object.assign(option, { id: `${LIST}-${index}`, role: "option", ariaSelected: String(isActive) });
  const title = document.createElement("bdi");
  title.textContent = item.title;
  const type = document.createElement("span");
  type.textContent = texts.typeOf(item.type);
  option.append(title, type);
  option.addEventListener("mousedown", (event) => event.preventDefault());
  option.addEventListener("click", () => view.dispatch(chosen(view.state, item)));
  return option;
}

function move(by: number) {
  return (view: EditorView): boolean => {
    const now = view.state.field(open);
    if (!now || now.phase === "dismissed" || now.items.length === 0) return false;
    view.dispatch({ effects: moved.of((now.active + by + now.items.length) % now.items.length) });
    return true;
  };
}

function choose(view: EditorView): boolean {
  const now = view.state.field(open);
  const item = now && now.phase !== "dismissed" ? now.items[now.active] : undefined;
  if (item) view.dispatch(chosen(view.state, item));
  return item !== undefined;
}

function dismiss(view: EditorView): boolean {
  const now = view.state.field(open);
  if (!now || now.phase === "dismissed") return false;
  view.dispatch({ effects: dismissed.of(null) });
  return true;
}

export function linkPicker(find: FindLinks, words: LinkTexts): Extension {
  texts = words;
  const finding = ViewPlugin.fromClass(
    class {
      private timer: ReturnType<typeof setTimeout> | undefined;

      constructor(private readonly view: EditorView) {}

      update({ startState, state }: ViewUpdate): void {
        const [before, now] = [startState.field(open), state.field(open)];
        if (now?.phase !== "waiting" || (before?.phase === "waiting" && before.words === now.words)) return;
        clearTimeout(this.timer);
        this.timer = setTimeout(() => void this.find(now.words), PAUSE_MS);
      }

      private async find(typed: string): Promise<void> {
        const found = await find(typed).then(
          (items) => ({ words: typed, items, phase: "done" as const }),
          () => ({ words: typed, items: this.view.state.field(open)?.items ?? [], phase: "failed" as const }),
        );
        if (this.view.dom.isConnected) this.view.dispatch({ effects: arrived.of(found) });
      }

      destroy(): void {
        clearTimeout(this.timer);
      }
    },
  );
  const keys = keymap.of([
    { key: "ArrowDown", run: move(1) },
    { key: "ArrowUp", run: move(-1) },
    { key: "Enter", run: choose },
    { key: "Tab", run: choose },
    { key: "Escape", run: dismiss },
  ]);
  return [open, finding, Prec.highest(keys), looks];
}

const looks = EditorView.theme({
  ".cm-tooltip.cm-links": {
    width: "min(360px, 90vw)",
    padding: "4px",
    border: "1px solid var(--border)",
    borderRadius: "calc(var(--radius) + 2px)",
    background: "var(--surface)",
    boxShadow: "var(--shadow)",
    font: "14px/20px system-ui, sans-serif",
    zIndex: "5",
  },
  ".cm-links ul": { maxHeight: "240px", margin: "0", padding: "0", overflow: "auto", listStyle: "none" },
  ".cm-links li": { display: "flex", gap: "8px", padding: "6px 8px", borderRadius: "var(--radius)", cursor: "pointer" },
  ".cm-links li[aria-selected=true]": { background: "var(--selected)" },
  ".cm-links li bdi": { flex: "1", minWidth: "0", overflow: "hidden", whiteSpace: "nowrap", textOverflow: "ellipsis" },
  ".cm-links li span, .cm-links p": { color: "var(--muted)", fontSize: "12px" },
  ".cm-links p": { margin: "0", padding: "6px 8px" },
});
