import { ArrowDown, ArrowUp, Info, LayoutGrid, List } from "lucide-react";
import { ToggleButton } from "react-aria-components";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Select } from "@guildhall/console/ui/Select";
import styles from "./Browser.module.css";
import { changeLooks, useLooks, type Sort } from "./looks";

const SORTS: readonly Sort[] = ["name", "updated", "size"];

/** How files are listed: their order, as rows or tiles, with or without details beside them. */
export function Toolbar({ onDetails }: { onDetails: () => void }) {
  const t = useText();
  const { layout, sort, order, details } = useLooks();
  const Arrow = order === "asc" ? ArrowUp : ArrowDown;
  return (
    <div className={styles.toolbar} role="group" aria-label={t("files.looks")}>
      {/* Where the columns have heads, those sort. */}
      <div className={styles.sorting} data-layout={layout}>
        <Select
          label={t("files.sort")}
          isLabelHidden
          value={sort}
          onChange={(chosen) => changeLooks({ sort: chosen as Sort, order: chosen === "name" ? "asc" : "desc" })}
          options={SORTS.map((id) => ({ id, name: t(`files.sort_${id}`) }))}
        />
        <Button
          kind="quiet"
          aria-label={order === "asc" ? t("files.order_asc") : t("files.order_desc")}
          onPress={() => changeLooks({ order: order === "asc" ? "desc" : "asc" })}
        >
          <Arrow size={16} />
        </Button>
      </div>
      <Button
        kind="quiet"
        aria-label={layout === "tiles" ? t("files.as_rows") : t("files.as_tiles")}
        onPress={() => changeLooks({ layout: layout === "tiles" ? "rows" : "tiles" })}
      >
        {layout === "tiles" ? <List size={16} /> : <LayoutGrid size={16} />}
      </Button>
      <ToggleButton className={styles.toggle ?? ""} aria-label={t("files.details")} isSelected={details} onChange={onDetails}>
        <Info size={16} aria-hidden="true" />
      </ToggleButton>
    </div>
  );
}
