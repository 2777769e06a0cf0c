import { Fragment } from "react";

import styles from "./Palette.module.css";
import type { Entry } from "./paletteGroups";

interface PaletteEntryProps {
  id: string;
  entry: Entry;
  isChosen: boolean;
  onPoint: () => void;
  onTake: () => void;
}

export function PaletteEntry({ id, entry, isChosen, onPoint, onTake }: PaletteEntryProps) {
  const { name, icon: Icon, detail, snippet, keys } = entry;
  return (
    <div id={id} role="option" aria-selected={isChosen} className={styles.option} onPointerMove={onPoint} onClick={onTake}>
      <Icon size={16} aria-hidden="true" />
      <span className={styles.words}>
        <span className={styles.label} dir="auto">
          {name}
        </span>
        {snippet && (
          <span className={styles.snippet} dir="auto">
            <Marked text={snippet} />
          </span>
        )}
      </span>
      {detail && <span className={styles.detail}>{detail}</span>}
      {keys && (
        <span className={styles.keys} aria-hidden="true">
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      )}
    </div>
  );
}

/** A snippet with its hits marked. */
function Marked({ text }: { text: string }) {
  // The server puts each hit between these two, which no text of a person has.
  return text.split("\u0001").map((part, index) => {
    const [hit = "", rest] = part.split("\u0002");
    return <Fragment key={index}>{rest === undefined ? hit : <><mark>{hit}</mark>{rest}</>}</Fragment>;
  });
}
