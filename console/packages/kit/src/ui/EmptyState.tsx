import type { ReactNode } from "react";

import styles from "./EmptyState.module.css";

/** What this place is for, and the one thing to do here. */
export function EmptyState({ text, action }: { text: string; action?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p>{text}</p>
      {action}
    </div>
  );
}
