import { useMemo } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { endingOf } from "./kinds";
import { PlainText } from "./Preview";
import styles from "./Preview.module.css";
import { tokensOf } from "./tokens";

/** Longer ones stand without colours, in an editor that draws only what is in view. */
const MAX_CHARACTERS = 100_000;

/** A program with the numbers of its lines, its words coloured by what they are. */
export default function CodeView({ text, filename }: { text: string; filename: string }) {
  const t = useText();
  const isShort = text.length <= MAX_CHARACTERS;
  const tokens = useMemo(() => (isShort ? tokensOf(text, endingOf(filename)) : []), [text, filename, isShort]);
  if (!isShort) return <PlainText text={text} />;
  const lines = text.replace(/\n$/, "").split("\n").length;
  return (
    <div className={styles.code} tabIndex={0} role="region" aria-label={t("files.show_preview")} dir="ltr">
      <pre className={styles.numbers} aria-hidden="true">
        {Array.from({ length: lines }, (_, at) => at + 1).join("\n")}
      </pre>
      <pre data-lines="" className={styles.program}>
        {tokens.map(({ kind, text: part }, at) => (kind === "plain" ? part : <span key={at} className={styles[kind]}>{part}</span>))}
      </pre>
    </div>
  );
}
