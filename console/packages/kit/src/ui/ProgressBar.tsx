import { Label, ProgressBar as AriaProgressBar } from "react-aria-components";

import styles from "./ProgressBar.module.css";

/** How far something is, from 0 to 1, as a bar with a figure. */
export function ProgressBar({ label, value }: { label: string; value: number }) {
  return (
    <AriaProgressBar value={value * 100} className={styles.progress}>
      {({ percentage, valueText }) => (
        <>
          <Label className={styles.label}>{label}</Label>
          <span className={styles.value}>{valueText}</span>
          <span className={styles.track}>
            <span className={styles.done} style={{ width: `${percentage ?? 0}%` }} />
          </span>
        </>
      )}
    </AriaProgressBar>
  );
}
