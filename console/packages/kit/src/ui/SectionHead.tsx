import type { ReactNode } from "react";

import styles from "./Company.module.css";

/** The heading of one screen of the company, with its action. */
export function SectionHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.head}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}
