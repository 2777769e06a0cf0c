import { memo, useLayoutEffect, useRef, type MouseEvent, type ReactNode } from "react";

import { useText } from "../i18n/texts";
import { CheckMark } from "./CheckMark";
import styles from "./RowList.module.css";

export interface RowProps<Item> {
  id: string;
  item: Item;
  index: number;
  count: number;
  top: number;
  isGrid: boolean;
  isActive: boolean;
  isOpen: boolean;
  /** Undefined where rows cannot be selected. */
  isSelected: boolean | undefined;
  row: (item: Item) => ReactNode;
  actions: ((item: Item) => ReactNode) | undefined;
  onOpen: (index: number) => void;
  onToggle: (index: number, isRange: boolean) => void;
}

const CONTROLS = "a, button, input, label, [role=menuitem]";

function PlainRow<Item>(props: RowProps<Item>) {
  const { id, item, index, count, top, isGrid, isActive, isOpen, isSelected, row, actions, onOpen, onToggle } = props;
  const t = useText();
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (element.current) element.current.style.transform = `translateY(${top}px)`;
  }, [top]);
  const onClick = (event: MouseEvent<HTMLElement>) => {
    if (!(event.target as Element).closest(CONTROLS)) onOpen(index);
  };
  const shared = {
    ref: element,
    id,
    className: styles.row,
    "data-active": isActive ? "" : undefined,
    "data-open": isOpen ? "" : undefined,
    "data-selected": isSelected ? "" : undefined,
    onClick,
  };
  if (!isGrid) {
    return (
      <div {...shared} role="option" aria-selected={isOpen} aria-posinset={index + 1} aria-setsize={count}>
        {row(item)}
      </div>
    );
  }
  return (
    <div {...shared} role="row" aria-rowindex={index + 1} aria-selected={isSelected ?? isOpen}>
      {isSelected !== undefined && (
        <div role="gridcell" className={styles.check}>
          <label className={styles.box}>
            <input
              type="checkbox"
              tabIndex={-1}
              id={`${id}-check`}
              aria-label={t("list.select_row")}
              aria-labelledby={`${id}-check ${id}-row`}
              checked={isSelected}
              onChange={(event) => onToggle(index, (event.nativeEvent as unknown as MouseEvent).shiftKey)}
            />
            <CheckMark />
          </label>
        </div>
      )}
      <div role="gridcell" id={`${id}-row`} className={styles.cell}>
        {row(item)}
      </div>
      {actions && (
        <div role="gridcell" className={styles.actions}>
          {actions(item)}
        </div>
      )}
    </div>
  );
}

// Scrolling draws the list again, and no row that stood there before.
export const Row = memo(PlainRow) as typeof PlainRow;

export function RowTitle({ children }: { children: ReactNode }) {
  return (
    <span className={styles.title} dir="auto">
      {children}
    </span>
  );
}

/** What else there is to know, muted; `isSecondary` goes where there is little room. */
export function RowMeta({ children, isSecondary }: { children: ReactNode; isSecondary?: boolean }) {
  return <span className={`${styles.meta} ${isSecondary ? (styles.secondary ?? "") : ""}`}>{children}</span>;
}
