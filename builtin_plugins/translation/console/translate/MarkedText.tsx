import { memo } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { markUses, type Use } from "./glossaryMarks";
import styles from "./Translate.module.css";

/** A text in which the words of the glossary are marked. */
export const MarkedText = memo(function MarkedText({ text, uses, side }: { text: string; uses: readonly Use[]; side: "term" | "translation" }) {
  const t = useText();
  return markUses(text, uses, side).map(({ text: words, use }, index) =>
    use ? (
      <mark key={index} className={styles.mark} title={t("translate.term_kept", { term: use.term, translation: use.translation })}>
        {words}
      </mark>
    ) : (
      words
    ),
  );
});
