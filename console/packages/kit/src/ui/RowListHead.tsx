import type { ReactNode } from "react";

import { useText } from "../i18n/texts";
import { Button } from "./Button";
import { Checkbox } from "./Checkbox";
import styles from "./RowList.module.css";

/** The ids of the rows that are selected. */
export interface Selection {
  selected: ReadonlySet<string>;
  onChange: (selected: Set<string>) => void;
}

interface RowListHeadProps {
  ids: () => string[];
  count: number;
  /** Whether the count is that of the whole list, and not only of what came so far. */
  isAll: boolean;
  selection: Selection | undefined;
  bulk: ReactNode;
  children: ReactNode;
}

/** The line above the rows, which stays in view: how many there are, or what to do with those selected. */
export function RowListHead({ ids, count, isAll, selection, bulk, children }: RowListHeadProps) {
  const t = useText();
  const selected = selection?.selected.size ?? 0;
  const words = selected ? t("list.selected", { count: selected }) : `${t("list.count", { count })}${isAll ? "" : " +"}`;
  return (
    <div className={styles.head}>
      {selection && (
        <Checkbox
          aria-label={t("action.select_all")}
          isSelected={selected > 0 && selected >= count}
          isIndeterminate={selected > 0 && selected < count}
          onChange={(isOn) => selection.onChange(new Set(isOn ? ids() : []))}
        />
      )}
      <span className={styles.count} aria-live="polite">
        {words}
      </span>
      {selected > 0 && selection ? (
        <div className={styles.bulk}>
          {bulk}
          <Button kind="quiet" onPress={() => selection.onChange(new Set())}>
            {t("action.clear_selection")}
          </Button>
        </div>
      ) : (
        children
      )}
    </div>
  );
}
