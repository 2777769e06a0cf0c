import { CircleCheck, CircleDashed, CircleMinus, LoaderCircle, type LucideIcon } from "lucide-react";

import { useText } from "@guildhall/console/i18n/texts";
import styles from "./FileGrid.module.css";
import type { TextStatus } from "./objects";

const ICONS: Record<TextStatus, LucideIcon> = {
  indexed: CircleCheck,
  pending: LoaderCircle,
  stale: LoaderCircle,
  none: CircleDashed,
  unsupported: CircleMinus,
};

/** How far a file's text is read: a word, and the whole sentence on hover. */
export function TextMark({ status }: { status: TextStatus }) {
  const t = useText();
  const Icon = ICONS[status];
  return (
    <span className={styles.mark} title={t(`files.text_${status}`)}>
      <Icon size={14} aria-hidden="true" />
      {t(`files.text_short_${status}`)}
    </span>
  );
}
