import { Compartment, EditorState, Transaction, type ChangeSpec, type Extension } from "@codemirror/state";
import { EditorView, type ViewUpdate } from "@codemirror/view";
import { useEffect, useLayoutEffect, useRef } from "react";

import { useText } from "../i18n/texts";
import { hasEndlessLine, languageOf, writing } from "./codeSetup";
import type { EditorProps } from "./Editor";
import styles from "./Editor.module.css";
import { lineMarks } from "./lineMarks";

/** From this length on the whole text is not handed out at each key, only when the writer pauses. */
const LONG = 20_000;
const PAUSE_MS = 250;
/** Whoever never pauses has it handed out all the same. */
const LONGEST_MS = 2_000;
const MAX_HANDED_OUT = 100;

interface Area {
  view: EditorView;
  /** What was handed out and has not come back as the value yet: it does so late, when more is typed already. */
  handedOut: string[];
  /** Hands out what was typed since. */
  flush: () => void;
}

/** Whether something was pasted that is nested too deep. */
function isEndless(update: ViewUpdate): boolean {
  let isFound = false;
  update.changes.iterChanges((_from, _to, _fromB, _toB, inserted) => {
    isFound ||= inserted.length > 1 && hasEndlessLine(inserted.toString());
  });
  return isFound;
}

/** What to put in the place of what, so that the caret and all around it stay where they are. */
function replacement(old: string, young: string): ChangeSpec {
  const shortest = Math.min(old.length, young.length);
  let [from, after] = [0, 0];
  while (from < shortest && old[from] === young[from]) from += 1;
  while (after < shortest - from && old[old.length - 1 - after] === young[young.length - 1 - after]) after += 1;
  return { from, to: old.length - after, insert: young.slice(from, young.length - after) };
}

/**
 * CodeMirror in a shadow root: there its styles are constructed sheets, which the policy allows,
 * and not a style element, which it refuses. `extend` is what else it does, from the beginning on.
 */
export default function CodeArea(props: EditorProps & { extend?: Extension }) {
  const { value, onChange, language, label, isReadOnly, isInvalid, autoFocus, grows, marks, goTo, extend = [] } = props;
  const t = useText();
  const host = useRef<HTMLDivElement>(null);
  const area = useRef<Area | null>(null);
  const change = useRef(onChange);
  const settings = useRef(new Compartment());
  const isPlain = useRef(false);
  useLayoutEffect(() => {
    change.current = onChange;
  }, [onChange]);

  const options = () => [
    languageOf(isPlain.current ? "plain" : language),
    marks?.length ? lineMarks(marks) : [],
    EditorState.readOnly.of(isReadOnly ?? false),
    EditorView.contentAttributes.of({
      "aria-label": label,
      dir: "auto",
      tabindex: "0",
      ...(isReadOnly && { "aria-readonly": "true" }),
      ...(isInvalid && { "aria-invalid": "true" }),
    }),
    EditorState.phrases.of({
      Find: t("editor.find"),
      Replace: t("editor.replace"),
      replace: t("editor.replace"),
      "replace all": t("editor.replace_all"),
      next: t("editor.next"),
      previous: t("editor.previous"),
      all: t("editor.all"),
      close: t("action.close"),
      "match case": t("editor.match_case"),
      regexp: t("editor.regexp"),
      "by word": t("editor.by_word"),
    }),
  ];

  useLayoutEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: "open", delegatesFocus: true });
    let timer: ReturnType<typeof setTimeout> | undefined;
    let waitsSince = 0;
    const flush = () => {
      if (timer === undefined || !area.current) return;
      clearTimeout(timer);
      timer = undefined;
      const text = area.current.view.state.doc.toString();
      area.current.handedOut.push(text);
      if (area.current.handedOut.length > MAX_HANDED_OUT) area.current.handedOut.shift();
      change.current?.(text);
    };
    isPlain.current = hasEndlessLine(value);
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: value,
        extensions: [
          extend,
          writing(grows ?? false),
          settings.current.of(options()),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !isPlain.current && isEndless(update)) {
              isPlain.current = true;
              queueMicrotask(() => view.dispatch({ effects: settings.current.reconfigure(options()) }));
            }
            if (!update.docChanged || update.transactions.some((one) => one.annotation(Transaction.remote))) return;
            const now = performance.now();
            if (timer === undefined) waitsSince = now;
            clearTimeout(timer);
            timer = setTimeout(flush, Math.max(0, Math.min(PAUSE_MS, waitsSince + LONGEST_MS - now)));
            if (update.state.doc.length < LONG) flush();
          }),
          EditorView.domEventHandlers({
            blur: flush,
            // A shortcut of the screen, such as the one that saves, finds everything that was typed.
            keydown: (event) => {
              if (event.ctrlKey || event.metaKey || event.key === "Escape") flush();
            },
          }),
        ],
      }),
    });
    area.current = { view, handedOut: [value], flush };
    // Whoever gives the focus back to the editor, as a dialog does, means the text and not what scrolls it.
    view.scrollDOM.addEventListener("focus", () => view.focus());
    if (autoFocus) view.focus();
    window.addEventListener("pagehide", flush);
    return () => {
      window.removeEventListener("pagehide", flush);
      flush();
      view.destroy();
      area.current = null;
    };
    // The view is made once; what changes afterwards is told to it below.
  }, []);

  useEffect(() => {
    area.current?.view.dispatch({ effects: settings.current.reconfigure(options()) });
  }, [language, label, isReadOnly, isInvalid, marks, t]);

  useEffect(() => {
    const here = area.current;
    if (!here) return;
    const echo = here.handedOut.lastIndexOf(value);
    here.handedOut.splice(0, echo < 0 ? Infinity : echo + 1);
    if (echo >= 0) return;
    const text = here.view.state.doc.toString();
    if (text !== value) here.view.dispatch({ changes: replacement(text, value), annotations: Transaction.remote.of(true) });
  }, [value]);

  useEffect(() => {
    const view = area.current?.view;
    if (!view || !goTo) return;
    const { from } = view.state.doc.line(Math.max(1, Math.min(goTo.line, view.state.doc.lines)));
    view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    view.focus();
  }, [goTo]);

  // A tab stop for whoever walks the page's own tree; the focus goes on into the text.
  return <div ref={host} tabIndex={0} className={styles.host} />;
}
