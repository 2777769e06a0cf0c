import styles from "./uploads.module.css";

/** How far something is, as a line that takes no room. */
export function Track({ name, percent }: { name: string; percent: number }) {
  return (
    <div
      role="progressbar"
      aria-label={name}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
      className={styles.track}
    >
      <div className={styles.bar} style={{ width: `${percent}%` }} />
    </div>
  );
}
