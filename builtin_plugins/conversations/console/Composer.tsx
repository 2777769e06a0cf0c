import { ArrowUp, Library, Square } from "lucide-react";
import { useEffect, useImperativeHandle, useRef, useState, type KeyboardEvent, type Ref } from "react";

import { useDraft } from "@guildhall/console/drafts/useDraft";
import { useText } from "@guildhall/console/i18n/texts";
import type { Source } from "@guildhall/console/ui/ask";
import { Button } from "@guildhall/console/ui/Button";
import { AttachDocuments } from "./AttachDocuments";
import { AttachmentChips } from "./AttachmentChips";
import styles from "./Composer.module.css";
import { AnswerSettings } from "./AnswerSettings";
import { NO_SETTINGS, type Attachment, type Question, type Turn, type TurnSettings } from "./conversation";
import { ModelChoice } from "./ModelChoice";
import { SourceChips } from "./SourceChips";
import { ToolChoice, type ChosenTools } from "./ToolChoice";

export interface ComposerHandle {
  /** Puts a question back, to be asked in other words. */
  restore: (question: Question) => void;
}

export interface ComposerProps {
  ref?: Ref<ComposerHandle>;
  /** What the draft is kept under. */
  thing: string;
  isAnswering: boolean;
  mayUseTools: boolean;
  attached?: Attachment | null;
  /** What a link asks about. */
  about?: Source | null;
  /** What was asked last here: the next goes to the same model, with the same tools, until somebody chooses. */
  last?: Turn | undefined;
  onAsk: (question: Question) => void;
  onStop: () => void;
}

/** Where one writes: Enter sends, Shift+Enter starts a new line. */
export function Composer({ ref, thing, isAnswering, mayUseTools, attached, about, last, onAsk, onStop }: ComposerProps) {
  const t = useText();
  const draft = useDraft(thing);
  const [prompt, setPrompt] = useState(draft.found?.text ?? "");
  const [attachments, setAttachments] = useState<Attachment[]>([]);
  const [tools, setTools] = useState<ChosenTools>(last?.tools ?? "none");
  const [model, setModel] = useState<string | null>(last?.model ?? null);
  const [sources, setSources] = useState<Question["sources"]>(about ? [about] : (last?.sources ?? null));
  const [settings, setSettings] = useState<TurnSettings>(last?.settings ?? NO_SETTINGS);
  const area = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    if (attached) setAttachments((before) => (before.some(({ id }) => id === attached.id) ? before : [...before, attached]));
  }, [attached]);
  useEffect(() => {
    if (about) setSources([about]);
  }, [about]);
  useImperativeHandle(ref, () => ({
    restore(question) {
      // What was begun meanwhile stays behind it.
      const words = [question.prompt, prompt].filter((text) => text.trim() !== "").join("\n\n");
      setPrompt(words);
      setAttachments(question.attachments);
      setTools(question.tools);
      setModel(question.model);
      setSources(question.sources);
      setSettings(question.settings);
      draft.keep(words, null);
      area.current?.focus();
    },
  }));

  function write(text: string) {
    setPrompt(text);
    draft.keep(text, null);
  }
  function ask() {
    if (isAnswering || prompt.trim() === "") return;
    onAsk({ prompt, attachments, tools: mayUseTools ? tools : "none", model, sources, settings });
    setPrompt("");
    setAttachments([]);
    draft.drop();
  }
  function onKeyDown(event: KeyboardEvent) {
    // An Enter that ends a composition chooses a word, and sends nothing.
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      ask();
    }
  }
  return (
    <div>
      <div className={styles.composer}>
        {attachments.length > 0 && (
          <AttachmentChips
            attachments={attachments}
            onRemove={(removed) => setAttachments(attachments.filter(({ id }) => id !== removed.id))}
          />
        )}
        {sources !== null && sources !== "workspace" && (
          <SourceChips
            sources={sources}
            onRemove={(removed) => {
              const left = sources.filter(({ type, at }) => type !== removed.type || at !== removed.at);
              setSources(left.length > 0 ? left : null);
            }}
          />
        )}
        <textarea
          ref={area}
          className={styles.text}
          aria-label={t("chat.prompt")}
          placeholder={t("chat.placeholder")}
          dir="auto"
          rows={1}
          autoFocus
          value={prompt}
          onChange={(event) => write(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <div className={styles.bar}>
          <AttachDocuments attachments={attachments} onChange={setAttachments} />
          {mayUseTools && <ToolChoice chosen={tools} onChange={setTools} />}
          <Button kind={sources ? "plain" : "quiet"} aria-pressed={sources !== null} onPress={() => setSources(sources ? null : "workspace")}>
            <Library size={16} aria-hidden="true" />
            {t("chat.use_sources")}
          </Button>
          <ModelChoice model={model} onChange={setModel} />
          <AnswerSettings settings={settings} hasTools={mayUseTools && tools !== "none"} onChange={setSettings} />
          {isAnswering ? (
            <Button onPress={onStop}>
              <Square size={16} aria-hidden="true" />
              {t("chat.stop")}
            </Button>
          ) : (
            <Button kind="primary" isDisabled={prompt.trim() === ""} onPress={ask}>
              <ArrowUp size={16} aria-hidden="true" />
              {t("chat.send")}
            </Button>
          )}
        </div>
      </div>
      <p className={styles.hint}>{t("chat.hint")}</p>
    </div>
  );
}
