import { useText } from "@guildhall/console/i18n/texts";
import { ICONS, type EntityType } from "./entities";
import styles from "./Knowledge.module.css";

/** What kind of thing it is, as an icon and a word. */
export function TypeMark({ type }: { type: EntityType }) {
  const t = useText();
  const Icon = ICONS[type];
  return (
    <span className={`${styles.type} ${styles.kind}`}>
      <Icon size={16} aria-hidden="true" />
      {t(`graph.${type}`)}
    </span>
  );
}
