import { Link } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import styles from "../Browser.module.css";

export type Show = "preview" | "text" | "compare";

/** The ways to look at an object; each has an address of its own. */
export function Shows({ id, show, hasText, hasDifference }: { id: string; show: Show; hasText: boolean; hasDifference: boolean }) {
  const t = useText();
  const shows: Show[] = ["preview", ...(hasText ? (["text"] as const) : []), ...(hasDifference ? (["compare"] as const) : [])];
  return (
    <div className={styles.line}>
      <nav aria-label={t("files.shows")} className={styles.views}>
        {shows.map((one) => (
          <Link
            key={one}
            href={`/files/${id}${one === "preview" ? "" : `?show=${one}`}`}
            className={styles.view ?? ""}
            aria-current={one === show ? "page" : undefined}
          >
            {t(`files.show_${one}`)}
          </Link>
        ))}
      </nav>
    </div>
  );
}
