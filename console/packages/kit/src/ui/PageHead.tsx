import type { ReactNode } from "react";

import styles from "./PageHead.module.css";

/** The one heading of a screen, with its actions at the end of the line. */
export function PageHead({ title, text, children }: { title: string; text?: string; children?: ReactNode }) {
  return (
    <div className={styles.head}>
      <div className={styles.words}>
        <h1 dir="auto">{title}</h1>
        {text && <p className={styles.text}>{text}</p>}
      </div>
      {children && <div className={styles.actions}>{children}</div>}
    </div>
  );
}
