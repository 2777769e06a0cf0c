import type { LucideIcon } from "lucide-react";
import { memo } from "react";
import { Link } from "wouter";

import { useRevealed } from "@guildhall/console/ui/useRevealed";
import styles from "./Navigation.module.css";

export interface NavigationLinkProps {
  path: string;
  name: string;
  icon: LucideIcon;
  isHere: boolean;
  /** Shows the icon alone, with the name for whoever points at it. */
  isNarrow: boolean;
  onGo: (() => void) | undefined;
}

/** One place of the navigation, of the console or of a plugin. */
export const NavigationLink = memo(function NavigationLink({ path, name, icon: Icon, isHere, isNarrow, onGo }: NavigationLinkProps) {
  return (
    <li>
      <Link
        ref={useRevealed(isHere)}
        href={path}
        className={styles.item ?? ""}
        aria-current={isHere ? "page" : undefined}
        title={isNarrow ? name : undefined}
        onClick={onGo}
      >
        <Icon size={16} aria-hidden="true" />
        <span className={styles.name}>{name}</span>
      </Link>
    </li>
  );
});
