import { Bot, CircleCheck, CircleDashed, Clock, CornerUpLeft, History, type LucideIcon } from "lucide-react";

import { useText } from "@guildhall/console/i18n/texts";
import type { Status } from "./messages";
import styles from "./Localize.module.css";

export const ICONS: Record<Status, LucideIcon> = {
  approved: CircleCheck,
  machine: Bot,
  missing: CircleDashed,
  returned: CornerUpLeft,
  stale: History,
  submitted: Clock,
};

/** How far a translation is, as an icon and a word. */
export function StatusMark({ status }: { status: Status }) {
  const t = useText();
  const Icon = ICONS[status];
  return (
    <span className={styles.status} data-status={status}>
      <Icon size={16} aria-hidden="true" />
      {t(`l10n.${status}`)}
    </span>
  );
}
