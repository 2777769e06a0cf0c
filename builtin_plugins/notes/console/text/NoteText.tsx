import type { EditorView, ViewUpdate } from "@codemirror/view";
import { EditorView as View, ViewPlugin } from "@codemirror/view";
import { LoaderCircle } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import CodeArea from "@guildhall/console/ui/CodeArea";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { addressOf } from "@guildhall/console/ui/sanitizeHtml";
import { formatsAt, type Change, type Format } from "./commands";
import { findLinks } from "./findLinks";
import { formatted } from "./formatted";
import { run, writingKeys } from "./keys";
import { linkPicker, typedAt } from "./linking";
import styles from "./NoteText.module.css";
import { Toolbar } from "./Toolbar";

export interface NoteTextProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  isInvalid: boolean;
  /** Whether it looks like what it means, or stands there as it is stored. */
  isFormatted: boolean;
  /** Stores a file with the note; gives what stands for it in the text. */
  onFile: (file: File) => Promise<string>;
}

interface Sending {
  file: File;
  at: number;
  problem: unknown;
}

const PICTURES = "image/png,image/jpeg,image/gif,image/webp,image/avif";

/** The text of a note to write in, with what gives it its shape. */
export default function NoteText({ label, value, onChange, isInvalid, isFormatted, onFile }: NoteTextProps) {
  const t = useText();
  const [, navigate] = useLocation();
  const view = useRef<EditorView | null>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const [formats, setFormats] = useState<ReadonlySet<Format>>(new Set());
  const [sending, setSending] = useState<readonly Sending[]>([]);
  /** What is on its way, with the place that it goes to, which moves with the text. */
  const waiting = useRef(new Set<Sending>());

  const update = () => setSending([...waiting.current]);
  async function send(one: Sending) {
    one.problem = null;
    waiting.current.add(one);
    update();
    try {
      const stored = await latest.current.onFile(one.file);
      waiting.current.delete(one);
      if (view.current) put(view.current, one.at, stored);
    } catch (problem) {
      one.problem = problem;
    }
    update();
  }
  const take = (files: Iterable<File>, at: number) => [...files].forEach((file) => void send({ file, at, problem: null }));
  function follow(address: string) {
    const found = addressOf(address);
    if (!found) return;
    if (found.origin === location.origin && !found.pathname.startsWith("/api/")) navigate(found.pathname + found.search);
    else window.open(found.href, "_blank", "noopener,noreferrer");
  }
  const latest = useRef({ onFile, take, follow });
  latest.current = { onFile, take, follow };

  const extend = useMemo(() => {
    const onFollow = (address: string) => latest.current.follow(address);
    const look = ({ state, docChanged, selectionSet, changes }: ViewUpdate) => {
      if (docChanged) for (const one of waiting.current) one.at = changes.mapPos(Math.min(one.at, changes.length), 1);
      if (!docChanged && !selectionSet) return;
      const found = typedAt(state) ? new Set<Format>() : formatsAt(state);
      setFormats((before) => ([...before].join() === [...found].join() ? before : found));
    };
    return [
      ViewPlugin.define((made) => {
        view.current = made;
        return { destroy: () => (view.current = null) };
      }),
      isFormatted ? formatted({ missing: (name) => t("notes.picture_missing", { name }), picture: t("editor.picture") }, onFollow) : [],
      linkPicker(findLinks, {
        label: t("editor.links"),
        waiting: t("editor.links_waiting"),
        nothing: t("editor.links_none"),
        failed: t("editor.links_failed"),
        typeOf: (type) => t(`palette.type_${type}`),
      }),
      writingKeys({ onFiles: (files, at) => latest.current.take(files, at), onFollow }),
      View.updateListener.of(look),
      roomy,
    ];
  }, [t, isFormatted]);

  const change = (wanted: Change) => {
    if (!view.current) return;
    run(wanted)(view.current);
    view.current.focus();
  };
  return (
    <div className={styles.text} data-invalid={isInvalid ? "" : undefined}>
      <Toolbar formats={formats} onChange={change} onPicture={() => chooser.current?.click()} />
      <input
        ref={chooser}
        type="file"
        accept={PICTURES}
        multiple
        hidden
        onChange={({ target }) => {
          take([...(target.files ?? [])], view.current?.state.selection.main.head ?? 0);
          target.value = "";
        }}
      />
      {sending.map((one) =>
        one.problem === null ? (
          <p key={`${one.file.name}.${one.at}`} role="status" className={styles.sending}>
            <LoaderCircle size={16} aria-hidden="true" />
            {t("notes.file_sending", { name: one.file.name })}
          </p>
        ) : (
          <ProblemNotice key={`${one.file.name}.${one.at}`} problem={one.problem} onRetry={() => void send(one)} />
        ),
      )}
      <div className={styles.area}>
        <CodeArea key={String(isFormatted)} label={label} language="markdown" value={value} onChange={onChange} isInvalid={isInvalid} extend={extend} />
      </div>
    </div>
  );
}

/** What is put where the caret waits goes before it. */
function put(view: EditorView, wanted: number, text: string): void {
  const { doc, selection } = view.state;
  const at = Math.min(wanted, doc.length);
  const insert = at === doc.lineAt(at).to ? `${text}\n` : text;
  const isHere = selection.main.empty && selection.main.head === at;
  view.dispatch({ changes: { from: at, insert }, userEvent: "input.paste", ...(isHere && { selection: { anchor: at + insert.length } }) });
}

const roomy = View.theme({
  ".cm-scroller": { font: "15px/24px system-ui, sans-serif" },
  ".cm-content": { padding: "8px 0 96px", maxWidth: "72ch" },
  ".cm-line": { padding: "0 4px" },
});
