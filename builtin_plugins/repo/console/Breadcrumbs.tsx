import { ChevronRight } from "lucide-react";
import { Link } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import styles from "./Browser.module.css";
import type { View } from "./objects";
import { plainName } from "@guildhall/console/ui/sizes";
import { crumbsOf } from "./tree";
import { addressIn } from "./Views";

/** The way to a folder; the last step is the heading's, unless a file follows. */
export function Breadcrumbs({ view, prefix, isWhole = false }: { view: View; prefix: string; isWhole?: boolean }) {
  const t = useText();
  const crumbs = crumbsOf(prefix);
  const shown = isWhole ? crumbs : crumbs.slice(0, -1);
  if (crumbs.length === 0 && !isWhole) return null;
  return (
    <nav aria-label={t("files.path")}>
      <ol className={styles.crumbs}>
        <li>
          <Link href={addressIn(view)} className={styles.crumb ?? ""}>
            {t("nav.files")}
          </Link>
          <ChevronRight size={12} aria-hidden="true" />
        </li>
        {shown.map(({ name, prefix: to }) => (
          <li key={to}>
            <Link href={addressIn(view, to)} className={styles.crumb ?? ""} dir="auto">
              {plainName(name) || "/"}
            </Link>
            <ChevronRight size={12} aria-hidden="true" />
          </li>
        ))}
      </ol>
    </nav>
  );
}
