import { ChevronRight } from "lucide-react";
import { Link } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import styles from "./Browser.module.css";
import { useDropPlace } from "./moves/dragging";
import type { View } from "./objects";
import { plainName } from "@guildhall/console/ui/sizes";
import { crumbsOf, type Entry } from "./tree";
import { addressIn } from "./Views";

interface BreadcrumbsProps {
  view: View;
  prefix: string;
  /** Shows the last step too, where a file follows. */
  isWhole?: boolean;
  /** Moves what is dragged onto a step. */
  onMove?: ((entries: readonly Entry[], prefix: string) => void) | undefined;
}

/** The way to a folder; the last step is the heading's, unless a file follows. */
export function Breadcrumbs({ view, prefix, isWhole = false, onMove }: BreadcrumbsProps) {
  const t = useText();
  const crumbs = crumbsOf(prefix);
  const shown = isWhole ? crumbs : crumbs.slice(0, -1);
  if (crumbs.length === 0 && !isWhole) return null;
  return (
    <nav aria-label={t("files.path")}>
      <ol className={styles.crumbs}>
        <Step view={view} name={t("nav.files")} to="" onMove={onMove} />
        {shown.map(({ name, prefix: to }) => (
          <Step key={to} view={view} name={plainName(name) || "/"} to={to} onMove={onMove} />
        ))}
      </ol>
    </nav>
  );
}

function Step({ view, name, to, onMove }: { view: View; name: string; to: string } & Pick<BreadcrumbsProps, "onMove">) {
  const place = useDropPlace(onMove ? to : null, onMove ?? ignore);
  return (
    <li {...place}>
      <Link href={addressIn(view, to)} className={styles.crumb ?? ""} dir="auto">
        {name}
      </Link>
      <ChevronRight size={12} aria-hidden="true" />
    </li>
  );
}

const ignore = () => undefined;
