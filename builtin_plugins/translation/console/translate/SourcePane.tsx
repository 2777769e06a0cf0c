import { useDeferredValue, useId, useRef } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { countCharacters } from "./characters";
import type { Use } from "./glossaryMarks";
import { MarkedText } from "./MarkedText";
import styles from "./Translate.module.css";

/** What the server takes of a text at a time. */
export const MAX_CHARACTERS = 100_000;

export interface SourcePaneProps {
  text: string;
  language: string | null;
  uses: readonly Use[];
  fault: string | undefined;
  onChange: (text: string) => void;
  onSubmit: () => void;
}

/** Where the text is written; the words of the glossary are marked behind it. */
export function SourcePane({ text, language, uses, fault, onChange, onSubmit }: SourcePaneProps) {
  const t = useText();
  const id = useId();
  const marks = useRef<HTMLDivElement>(null);
  const marked = useDeferredValue(text);
  const left = MAX_CHARACTERS - countCharacters(text);
  const isTooLong = left < 0;
  return (
    <div className={styles.pane}>
      <label htmlFor={id} className={styles.label}>
        {t("translate.text")}
      </label>
      <div className={styles.box}>
        <div ref={marks} className={styles.marks} dir="auto" aria-hidden="true">
          {uses.length > 0 && <MarkedText text={marked} uses={uses} side="term" />}
        </div>
        <textarea
          id={id}
          className={styles.text}
          dir="auto"
          lang={language ?? undefined}
          spellCheck
          autoFocus
          aria-invalid={isTooLong || Boolean(fault)}
          aria-describedby={`${id}-left`}
          value={text}
          onChange={(event) => onChange(event.target.value)}
          onScroll={(event) => marks.current && (marks.current.scrollTop = event.currentTarget.scrollTop)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            onSubmit();
          }}
        />
      </div>
      <div className={styles.foot}>
        <span id={`${id}-left`} className={isTooLong || fault ? styles.fault : undefined}>
          {fault ?? (isTooLong ? t("translate.too_long", { count: -left }) : t("form.characters_left", { count: left }))}
        </span>
        <span className={styles.push} />
        <span>{t("translate.hint")}</span>
      </div>
    </div>
  );
}
