import { useId } from "react";

import { CopyButton } from "./CopyButton";
import styles from "./ShownOnce.module.css";

/** Something secret that is shown here and never again, to be copied. */
export function ShownOnce({ label, value }: { label: string; value: string }) {
  const id = useId();
  return (
    <div className={styles.secret}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <div className={styles.line}>
        <input id={id} readOnly value={value} className={styles.value} onFocus={(event) => event.target.select()} />
        <CopyButton text={value} />
      </div>
    </div>
  );
}
