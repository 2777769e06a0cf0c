import type { ReactNode } from "react";

import styles from "./PageHead.module.css";

/** The one heading of a screen, with its actions at the end of the line. */
export function PageHead({ title, text, children }: { title: string; text?: string; children?: ReactNode }) {
  return (
    <div className={styles.head} data-begin="">
      <div className={styles.words}>
        <h1 dir="auto">{title}</h1>
        {text && <p className={styles.text}>{text}</p>}
      </div>
      {children && <div className={styles.actions}>{children}</div>}
    </div>
  );
}

/** The heading of a part of a screen that stands beside others, with its action. */
export function SectionHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.section} data-begin="">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
