import { Link } from "wouter";

import { usePluginText } from "@guildhall/console/screens/pages";
import { useScreens } from "@guildhall/console/screens/shown";
import { useMay } from "@guildhall/console/session/identity";
import styles from "./Home.module.css";

/** Real work to begin with; in few words once there is some. */
export function StartCards({ isShort }: { isShort: boolean }) {
  const say = usePluginText();
  const may = useMay();
  const cards = useScreens()
    .shown.flatMap(({ begin = [], icon }) => begin.map((one) => ({ icon, ...one })))
    .filter(({ card, needs }) => may(needs) && (card ?? isShort))
    .map(({ name, card, path, icon }) => ({ name, text: "", ...card, path, icon }));
  if (cards.length === 0) return null;
  return (
    <div className={styles.cards} data-short={isShort ? "" : undefined}>
      {cards.map(({ path, name, text, icon: Icon }) => (
        <Link key={path} href={path} className={styles.card ?? ""}>
          <Icon size={isShort ? 16 : 20} aria-hidden="true" />
          <span className={styles.name}>{say(name)}</span>
          {!isShort && <span className={styles.text}>{say(text)}</span>}
        </Link>
      ))}
    </div>
  );
}
