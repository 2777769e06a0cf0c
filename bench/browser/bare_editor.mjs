// CodeMirror with nothing of ours: a text that is wrapped, keys, and undo.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { EditorView, keymap } from "@codemirror/view";

window.openEditor = (doc) =>
  new EditorView({
    doc,
    parent: document.getElementById("here"),
    extensions: [
      history(),
      keymap.of([...defaultKeymap, ...historyKeymap]),
      EditorView.lineWrapping,
      EditorView.theme({ "&": { height: "700px" } }),
    ],
  });
