import { diffWordsWithSpace } from "diff";

import styles from "./Localize.module.css";

export interface WordDifferenceProps {
  before: string;
  after: string;
  lang?: string;
  dir?: "ltr" | "rtl";
}

/** What changed between two short texts, in one line of reading: struck out, and set in. */
export function WordDifference({ before, after, lang, dir }: WordDifferenceProps) {
  return (
    <p className={styles.message} lang={lang} dir={dir ?? "auto"}>
      {diffWordsWithSpace(before, after).map((part, place) => {
        if (part.removed) return <del key={place}>{part.value}</del>;
        if (part.added) return <ins key={place}>{part.value}</ins>;
        return <span key={place}>{part.value}</span>;
      })}
    </p>
  );
}
