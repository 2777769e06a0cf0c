import { Check, Minus } from "lucide-react";

import styles from "./CheckMark.module.css";

/** The box of a checkbox; what it stands in says by its attributes whether it is ticked. */
export function CheckMark({ isPartial = false }: { isPartial?: boolean }) {
  const Icon = isPartial ? Minus : Check;
  return (
    <span className={styles.box} aria-hidden="true" data-check-mark="">
      <Icon size={12} strokeWidth={3} />
    </span>
  );
}
