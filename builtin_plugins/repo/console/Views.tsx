import { Link } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import styles from "./Browser.module.css";
import type { View } from "./objects";

/** Where a view lies; folders are prefixes in its address. */
export function addressIn(view: View, prefix = ""): string {
  const path = view === "all" ? "/files" : `/files/${view}`;
  return prefix ? `${path}?prefix=${encodeURIComponent(prefix)}` : path;
}

/** Whether somebody can have something to bring back: what they delete by their role, or what is their own. */
export const mayRestore = (may: (permission: string) => boolean) => may("files:delete") || may("files:write");

/** The ways to look at the repository: the team's, what others share, the company's, and what was deleted. */
export function Views({ view }: { view: View }) {
  const t = useText();
  const may = useMay();
  const views: View[] = [
    "all",
    "shared",
    ...(may("org:read") ? (["company"] as const) : []),
    ...(mayRestore(may) ? (["deleted"] as const) : []),
  ];
  return (
    <nav aria-label={t("files.views")} className={styles.views}>
      {views.map((one) => (
        <Link key={one} href={addressIn(one)} className={styles.view ?? ""} aria-current={one === view ? "page" : undefined}>
          {t(`files.view_${one}`)}
        </Link>
      ))}
    </nav>
  );
}
