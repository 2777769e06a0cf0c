import type { LucideIcon } from "lucide-react";
import { memo } from "react";
import { useRouter } from "wouter";

import { useRevealed } from "@guildhall/console/ui/useRevealed";
import styles from "./Navigation.module.css";

export interface NavigationLinkProps {
  path: string;
  name: string;
  icon: LucideIcon;
  isHere: boolean;
  /** Shows the icon alone, with the name for whoever points at it. */
  isNarrow: boolean;
}

/** One place of the navigation, of the console or of a plugin; the navigation around it follows all of them. */
export const NavigationLink = memo(function NavigationLink({ path, name, icon: Icon, isHere, isNarrow }: NavigationLinkProps) {
  const router = useRouter();
  return (
    <li>
      <a
        ref={useRevealed(isHere)}
        href={router.hrefs(path, router)}
        data-to={path}
        className={styles.item}
        aria-current={isHere ? "page" : undefined}
        title={isNarrow ? name : undefined}
      >
        <Icon size={16} aria-hidden="true" />
        <span className={styles.name}>{name}</span>
      </a>
    </li>
  );
});
