import { useText } from "@guildhall/console/i18n/texts";
import styles from "./FileGrid.module.css";
import type { StoredObject, View } from "./objects";
import { usePicked, type Selection } from "./selection";

/** The names of the columns, and the box that ticks all that are shown. */
export function GridHead({ view, selection, objects }: { view: View; selection: Selection; objects: readonly StoredObject[] }) {
  const t = useText();
  const { size } = usePicked(selection);
  const isAll = size > 0 && size >= objects.length;
  return (
    <div role="rowgroup" className={styles.headGroup}>
      <div role="row" aria-rowindex={1} className={styles.head}>
        <div role="columnheader" className={styles.tick}>
          <input
            type="checkbox"
            aria-label={t("files.select_all")}
            checked={isAll}
            disabled={objects.length === 0}
            ref={(box) => {
              if (box) box.indeterminate = size > 0 && !isAll;
            }}
            onChange={() => (isAll ? selection.clear() : selection.all(objects))}
          />
        </div>
        <div role="columnheader">{t("list.name")}</div>
        <div role="columnheader" className={styles.figure}>
          {t("files.column_size")}
        </div>
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
        <div role="columnheader" className={styles.time}>
          {view === "deleted" ? t("files.column_deleted") : t("list.updated")}
        </div>
      </div>
    </div>
  );
}
