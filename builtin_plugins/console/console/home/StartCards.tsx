import { Link } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { useScreens } from "@guildhall/console/screens/shown";
import { useMay } from "@guildhall/console/session/identity";
import styles from "./Home.module.css";

/** Real work to begin with; in few words once there is some. */
export function StartCards({ isShort }: { isShort: boolean }) {
  const t = useText();
  const may = useMay();
  const cards = useScreens()
    .shown.flatMap(({ begin = [] }) => begin)
    .flatMap(({ card, path, icon, needs }) => (card && may(needs) ? [{ ...card, path, icon }] : []));
  if (cards.length === 0) return null;
  return (
    <div className={styles.cards} data-short={isShort ? "" : undefined}>
      {cards.map(({ path, name, text, icon: Icon }) => (
        <Link key={path} href={path} className={styles.card ?? ""}>
          <Icon size={isShort ? 16 : 20} aria-hidden="true" />
          <span className={styles.name}>{t(name)}</span>
          {!isShort && <span className={styles.text}>{t(text)}</span>}
        </Link>
      ))}
    </div>
  );
}
