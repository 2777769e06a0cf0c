import type { ReactNode } from "react";
import { useLocation } from "wouter";

import { isWithin, useScreens } from "../screens/shown";
import styles from "./EmptyState.module.css";

/** Which drawing stands for a group of the navigation; the others have that of work. */
const DRAWINGS = new Set(["ai", "automate", "team"]);

/** What this place is for, and the one thing to do here. */
export function EmptyState({ text, action }: { text: string; action?: ReactNode }) {
  const [address] = useLocation();
  const here = useScreens().shown.find(({ path }) => isWithin(address, path));
  const group = here && DRAWINGS.has(here.group) ? here.group : "work";
  return (
    <div className={styles.empty} data-begin="">
      <svg className={styles.drawing} viewBox="0 0 160 104" aria-hidden="true">
        <use href={`/drawings.svg#${group}`} />
      </svg>
      <p>{text}</p>
      {action}
    </div>
  );
}
