import { CircleCheck, CircleX, Clock, type LucideIcon } from "lucide-react";

import { useText } from "@guildhall/console/i18n/texts";
import type { Prospect } from "./prospect";
import styles from "./Beta.module.css";

const ICONS: Record<Prospect["status"], LucideIcon> = { captured: Clock, accepted: CircleCheck, declined: CircleX };

/** What was decided, as an icon and a word. */
export function ProspectStatus({ prospect }: { prospect: Pick<Prospect, "status"> }) {
  const t = useText();
  const Icon = ICONS[prospect.status];
  return (
    <span className={styles.status} data-status={prospect.status}>
      <Icon size={16} aria-hidden="true" />
      {t(`prospects.${prospect.status}`)}
    </span>
  );
}
