import { CircleSlash, MailQuestion } from "lucide-react";

import { useText } from "../i18n/texts";
import styles from "./Team.module.css";

/** How somebody stands, where that is not as usual: an icon and a word. */
export function PersonStatus({ status }: { status: string }) {
  const t = useText();
  if (status === "active") return null;
  const Icon = status === "invited" ? MailQuestion : CircleSlash;
  return (
    <span className={styles.status}>
      <Icon size={14} aria-hidden="true" />
      {t(`members.status_${status}`)}
    </span>
  );
}
