import { ArrowDown, ArrowUp } from "lucide-react";

import { useText } from "@guildhall/console/i18n/texts";
import styles from "./FileGrid.module.css";
import { sortBy, useLooks, type Sort } from "./looks";
import type { View } from "./objects";
import { usePicked, type Selection } from "./selection";
import type { Entry } from "./tree";

/** The names of the columns, by three of which one sorts, and the box that selects all that are shown. */
export function GridHead({ view, selection, entries }: { view: View; selection: Selection; entries: readonly Entry[] }) {
  const t = useText();
  const { size } = usePicked(selection);
  const isAll = size > 0 && size >= entries.length;
  return (
    <div role="rowgroup" className={styles.headGroup}>
      <div role="row" aria-rowindex={1} className={styles.head}>
        <div role="columnheader" className={styles.tick}>
          <input
            type="checkbox"
            aria-label={t("files.select_all")}
            checked={isAll}
            disabled={entries.length === 0}
            ref={(box) => {
              if (box) box.indeterminate = size > 0 && !isAll;
            }}
            onChange={() => (isAll ? selection.clear() : selection.all(entries))}
          />
        </div>
        <SortHead sort="name" name={t("list.name")} />
        <SortHead sort="size" name={t("files.column_size")} className={styles.figure} />
        <div role="columnheader" className={styles.type}>
          {t("list.type")}
        </div>
        <div role="columnheader" className={styles.text}>
          {t("files.column_text")}
        </div>
        <div role="columnheader" className={styles.owner}>
          {t("list.owner")}
        </div>
        <div role="columnheader" className={styles.seen}>
          {t("files.column_visibility")}
        </div>
        <SortHead sort="updated" name={view === "deleted" ? t("files.column_deleted") : t("list.updated")} className={styles.time} />
        <div role="columnheader" className={styles.more}>
          <span className={styles.unseen}>{t("action.more")}</span>
        </div>
      </div>
    </div>
  );
}

function SortHead({ sort, name, className = "" }: { sort: Sort; name: string; className?: string | undefined }) {
  const { sort: current, order } = useLooks();
  const isSorted = sort === current;
  const Arrow = order === "asc" ? ArrowUp : ArrowDown;
  return (
    <div role="columnheader" className={className} aria-sort={isSorted ? (order === "asc" ? "ascending" : "descending") : "none"}>
      <button type="button" className={styles.sort} onClick={() => sortBy(sort)}>
        {name}
        {isSorted && <Arrow size={12} aria-hidden="true" />}
      </button>
    </div>
  );
}
