import { useMemo, useState } from "react";

import { useText } from "../i18n/texts";
import { Button } from "./Button";
import { CopyButton } from "./CopyButton";
import styles from "./CodeBlock.module.css";
import { portionsOf } from "./portions";

/** A text of any length, a portion at a time: a million characters at once would hold the page up. */
export function CodeBlock({ text, name }: { text: string; name: string }) {
  const t = useText();
  const portions = useMemo(() => portionsOf(text), [text]);
  const [shown, setShown] = useState(1);
  const left = portions.slice(shown).reduce((sum, portion) => sum + portion.length, 0);
  return (
    <div className={styles.block}>
      <div className={styles.copy}>
        <CopyButton text={text} name={name} />
      </div>
      <div className={styles.text} role="region" aria-label={name} tabIndex={0} dir="auto">
        {portions.slice(0, shown).map((portion, index) => (
          <pre key={index} className={index > 0 ? `${styles.portion} ${styles.later}` : styles.portion}>
            {portion}
          </pre>
        ))}
      </div>
      {left > 0 && (
        <div className={styles.more}>
          <Button onPress={() => setShown((before) => before + 1)}>{t("action.show_more")}</Button>
          <span>{t("runs.characters_left", { count: left })}</span>
        </div>
      )}
    </div>
  );
}
