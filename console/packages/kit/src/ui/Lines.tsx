import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";

import styles from "./Lines.module.css";

export interface LineProps {
  path: string;
  icon: LucideIcon;
  title: string;
  /** What else there is to know, below the title. */
  detail?: string | undefined;
  meta?: ReactNode;
  isAlarming?: boolean;
  /** What can be done with it but open it. */
  action?: ReactNode;
}

/** A list of links, one line each. */
export function Lines({ children }: { children: ReactNode }) {
  return <ul className={styles.lines}>{children}</ul>;
}

export function Line({ path, icon: Icon, title, detail, meta, isAlarming, action }: LineProps) {
  return (
    <li className={styles.row}>
      <Link href={path} className={styles.line ?? ""} data-line="" data-alarming={isAlarming ? "" : undefined}>
        <Icon size={16} aria-hidden="true" />
        <span className={styles.words}>
          <span className={styles.title} dir="auto">
            {title}
          </span>
          {detail && (
            <span className={styles.detail} dir="auto">
              {detail}
            </span>
          )}
        </span>
        {meta && <span className={styles.meta}>{meta}</span>}
      </Link>
      {action}
    </li>
  );
}
