import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useId, useMemo, useState, type KeyboardEvent, type ReactNode } from "react";

import { useText } from "../i18n/texts";
import { usePreference } from "../theme/preferences";
import { Button } from "./Button";
import { EmptyState } from "./EmptyState";
import { ProblemNotice } from "./ProblemNotice";
import { Row } from "./Row";
import styles from "./RowList.module.css";
import { RowListHead, type Selection } from "./RowListHead";
import { SkeletonRows } from "./Skeleton";
import { useOffsetTop } from "./useOffsetTop";
import { useRowInAddress } from "./useRowInAddress";

export { RowMeta, RowTitle } from "./Row";
export type { Selection } from "./RowListHead";

/** The pages of a list as TanStack's infinite queries give them. */
export interface Pages<Item> {
  data: { pages: { items: Item[] }[] } | undefined;
  error: unknown;
  isPending: boolean;
  isError: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
  refetch: () => unknown;
}

export interface RowListProps<Item> {
  label: string;
  pages: Pages<Item>;
  idOf: (item: Item) => string;
  /** What a row shows: a `RowTitle` and some `RowMeta`. */
  row: (item: Item) => ReactNode;
  onOpen: (item: Item) => void;
  openId?: string | null;
  empty: { text: string; action?: ReactNode };
  /** Makes a column of checkboxes: x selects, Shift with a click selects all up to there. */
  selection?: Selection;
  /** What can be done with all that is selected; stands in the head of the list. */
  bulk?: ReactNode;
  /** What can be done with one row: its own buttons at the end, seen on hover and focus. */
  actions?: (item: Item) => ReactNode;
  /** How many lines a row has, all of them as many; one where nothing is said. */
  lines?: 1 | 3;
  /** What stands in the head of the list besides the count: names of columns, a way to sort. */
  head?: ReactNode;
}

const ROW_PX = { comfortable: 44, dense: 32 };
const LINE_PX = 20;
const AHEAD = 10;

/** A list of any length: rows in view alone are drawn, j and k move, Enter opens, more comes as one scrolls. */
export function RowList<Item>(props: RowListProps<Item>) {
  const { label, pages, idOf, row, onOpen, openId, empty, selection, bulk, actions, head, lines = 1 } = props;
  const t = useText();
  const listId = useId();
  const rowPx = ROW_PX[usePreference("density")] + (lines - 1) * LINE_PX;
  const items = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data]);
  const [offsetTop, list] = useOffsetTop<HTMLDivElement>();
  const [chosen, setActive] = useState(0);
  // The last row may be gone since.
  const active = Math.min(chosen, Math.max(0, items.length - 1));
  const [anchor, setAnchor] = useState(0);
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowPx,
    getItemKey: (index) => (items[index] === undefined ? index : idOf(items[index])),
    overscan: AHEAD,
    scrollMargin: offsetTop,
    // Below the bar of the frame and the head of the list.
    scrollPaddingStart: 96,
  });
  useEffect(() => virtual.measure(), [rowPx, virtual]);
  const shown = virtual.getVirtualItems();
  const lastShown = shown.at(-1)?.index ?? 0;
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isError } = pages;
  useEffect(() => {
    // A page that was refused is asked for again by a press, and not as fast as it is refused.
    if (hasNextPage && !isFetchingNextPage && !isError && lastShown >= items.length - AHEAD) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isError, fetchNextPage, lastShown, items.length]);
  useRowInAddress(virtual, pages);

  const toggle = useCallback(
    (index: number, isRange: boolean) => {
      const item = items[index];
      if (!selection || item === undefined) return;
      const next = new Set(selection.selected);
      const isOn = !next.has(idOf(item));
      const [from, to] = isRange ? [Math.min(anchor, index), Math.max(anchor, index)] : [index, index];
      for (const each of items.slice(from, to + 1)) {
        if (isOn) next.add(idOf(each));
        else next.delete(idOf(each));
      }
      setAnchor(index);
      selection.onChange(next);
    },
    [items, selection, idOf, anchor],
  );
  const open = useCallback(
    (index: number) => {
      const item = items[index];
      setActive(index);
      if (item !== undefined) onOpen(item);
    },
    [items, onOpen],
  );
  const move = (to: number) => {
    const next = Math.max(0, Math.min(items.length - 1, to));
    setActive(next);
    virtual.scrollToIndex(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys typed into a control of a row are its own, and so are those of the browser.
    if (event.target !== event.currentTarget || event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === "j" || event.key === "ArrowDown") move(active + 1);
    else if (event.key === "k" || event.key === "ArrowUp") move(active - 1);
    else if (event.key === "PageDown") move(active + 10);
    else if (event.key === "PageUp") move(active - 10);
    else if (event.key === "Home") move(0);
    else if (event.key === "End") move(items.length - 1);
    else if (event.key === "Enter") open(active);
    else if (selection && (event.key.toLowerCase() === "x" || event.key === " ")) toggle(active, event.shiftKey);
    else if (selection?.selected.size && event.key === "Escape") selection.onChange(new Set());
    else return;
    event.preventDefault();
  };

  if (pages.isPending) return <SkeletonRows />;
  if (pages.isError && !pages.data) return <ProblemNotice problem={pages.error} onRetry={() => void pages.refetch()} />;
  if (items.length === 0) return <EmptyState {...empty} />;
  // Controls may stand in the rows of a grid, and not in the options of a list box.
  const isGrid = selection !== undefined || actions !== undefined;
  const activeItem = items[active];
  return (
    <>
      {(selection || head) && (
        <RowListHead ids={() => items.map(idOf)} count={items.length} isAll={!hasNextPage} selection={selection} bulk={bulk}>
          {head}
        </RowListHead>
      )}
      <div
        ref={list}
        role={isGrid ? "grid" : "listbox"}
        aria-label={label}
        aria-rowcount={isGrid ? (hasNextPage ? -1 : items.length) : undefined}
        aria-multiselectable={selection ? true : undefined}
        tabIndex={0}
        aria-activedescendant={activeItem === undefined ? undefined : `${listId}-${idOf(activeItem)}`}
        data-rows={lines}
        className={styles.list}
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={onKeyDown}
      >
        {shown.map(({ index, start, key }) => {
          const item = items[index];
          if (item === undefined) return null;
          const id = idOf(item);
          return (
            <Row
              key={key}
              id={`${listId}-${id}`}
              item={item}
              index={index}
              count={hasNextPage ? -1 : items.length}
              top={start - offsetTop}
              isGrid={isGrid}
              isActive={index === active}
              isOpen={id === openId}
              isSelected={selection?.selected.has(id)}
              row={row}
              actions={actions}
              onOpen={open}
              onToggle={toggle}
            />
          );
        })}
      </div>
      {pages.isError && <ProblemNotice problem={pages.error} onRetry={() => void fetchNextPage()} />}
      {hasNextPage && !pages.isError && (
        <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          {t("action.show_more")}
        </Button>
      )}
    </>
  );
}
