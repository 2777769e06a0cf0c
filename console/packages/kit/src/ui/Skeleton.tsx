import { useEffect, useState } from "react";

import styles from "./Skeleton.module.css";

const PATIENCE_MS = 150;

/** Rows shaped as what comes, once waiting is felt. */
export function SkeletonRows({ count = 6 }: { count?: number }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  // It waits from the first moment, also where that is not felt yet.
  if (!shown) return <div hidden data-waiting="" />;
  return (
    <div aria-hidden="true" data-waiting="" className={styles.rows}>
      {Array.from({ length: count }, (_, row) => (
        <div key={row} className={styles.row} />
      ))}
    </div>
  );
}
