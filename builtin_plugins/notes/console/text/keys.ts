/** The keys of a text in Markdown, and what is pasted or dropped in it. */

import { Prec, StateEffect, StateField, type Extension } from "@codemirror/state";
import { EditorView, keymap, type Command } from "@codemirror/view";

import { addressAt, continueList, deleteMark, indentList, insertLink, linkTo, setHeading, toggleInline, toggleLines, toggleTask, type Change } from "./commands";
import { listStart } from "./lines";

/** Runs a change; false where there is nothing for it to do. */
export const run =
  (change: Change): Command =>
  (view) => {
    const spec = view.state.readOnly ? null : change(view.state);
    if (spec) view.dispatch(spec);
    return spec !== null;
  };

const leaving = StateEffect.define<null>();
/** After Escape in a list, Tab leaves the text. */
const isLeaving = StateField.define({
  create: () => false,
  update: (before, { effects, docChanged, selection }) => effects.some((one) => one.is(leaving)) || (before && !docChanged && !selection),
});

const prepareToLeave: Command = (view) => {
  const { state } = view;
  if (state.field(isLeaving) || !listStart(state.doc.lineAt(state.selection.main.head).text)) return false;
  view.dispatch({ effects: leaving.of(null) });
  return true;
};

const unlessLeaving =
  (command: Command): Command =>
  (view) =>
    !view.state.field(isLeaving) && command(view);

const HEADINGS = [0, 1, 2, 3].map((level) => ({ key: `Ctrl-Alt-${level}`, mac: `Mod-Alt-${level}`, run: run(setHeading(level)) }));

export interface Given {
  onFiles: (files: File[], at: number) => void;
  onFollow: (address: string) => void;
}

export function writingKeys({ onFiles, onFollow }: Given): Extension {
  const follow: Command = ({ state }) => {
    const address = addressAt(state, state.selection.main.head);
    if (address) onFollow(address);
    return address !== null;
  };
  const keys = keymap.of([
    { key: "Mod-b", run: run(toggleInline("StrongEmphasis")) },
    { key: "Mod-i", run: run(toggleInline("Emphasis")) },
    { key: "Mod-k", run: run(insertLink) },
    ...HEADINGS,
    { key: "Mod-Shift-7", run: run(toggleLines("number")) },
    { key: "Mod-Shift-8", run: run(toggleLines("bullet")) },
    { key: "Mod-Shift-9", run: run(toggleLines("task")) },
    { key: "Mod-Enter", run: (view) => run(toggleTask)(view) || follow(view) },
    { key: "Enter", run: run(continueList) },
    { key: "Backspace", run: run(deleteMark) },
    { key: "Tab", run: unlessLeaving(run(indentList(1))), shift: unlessLeaving(run(indentList(-1))) },
    { key: "Escape", run: prepareToLeave },
  ]);
  const taking = EditorView.domEventHandlers({
    paste(event, view) {
      const files = [...(event.clipboardData?.files ?? [])];
      if (view.state.readOnly) return false;
      if (files.length === 0) {
        const isLink = run(linkTo(event.clipboardData?.getData("text/plain") ?? ""))(view);
        if (isLink) event.preventDefault();
        return isLink;
      }
      event.preventDefault();
      onFiles(files, view.state.selection.main.head);
      return true;
    },
    drop(event, view) {
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0 || view.state.readOnly) return false;
      event.preventDefault();
      onFiles(files, view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.selection.main.head);
      return true;
    },
  });
  const marked = EditorView.contentAttributes.of({ "data-writes-links": "" });
  return [isLeaving, Prec.high(keys), taking, marked];
}
