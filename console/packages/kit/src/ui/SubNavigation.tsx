import { Link, useRoute } from "wouter";

import styles from "./SubNavigation.module.css";
import { useRevealed } from "./useRevealed";

export interface Tab {
  path: string;
  name: string;
}

/** The screens of one area, side by side; each has an address of its own. */
export function SubNavigation({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav aria-label={label} className={styles.tabs}>
      {tabs.map((tab) => (
        <Item key={tab.path} {...tab} />
      ))}
    </nav>
  );
}

function Item({ path, name }: Tab) {
  const [isHere] = useRoute(path);
  const [isBelow] = useRoute(`${path}/*`);
  const isCurrent = isHere || isBelow;
  return (
    <Link ref={useRevealed(isCurrent)} href={path} className={styles.tab} aria-current={isCurrent ? "page" : undefined}>
      {name}
    </Link>
  );
}
