import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useMemo, useRef, useState, type CSSProperties, type MouseEvent, type ReactNode } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import type { Pages } from "@guildhall/console/ui/RowList";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { useOffsetTop } from "@guildhall/console/ui/useOffsetTop";
import { useRowInAddress } from "@guildhall/console/ui/useRowInAddress";
import type { Commands } from "./commands";
import styles from "./FileGrid.module.css";
import { FileRow } from "./FileRow";
import { FileTile } from "./FileTile";
import { GridHead } from "./GridHead";
import type { Layout } from "./looks";
import type { StoredObject, View } from "./objects";
import type { Selection } from "./selection";
import type { Entry, Page } from "./tree";
import { useColumns } from "./useColumns";
import { entriesFor, useGridKeys } from "./useGridKeys";

const LINE_PX: Record<Layout, number> = { rows: 40, tiles: 208 };
const AHEAD = 10;
/** Below the bar of the frame and the names of the columns. */
const HEAD_PX = 96;

export interface FileGridProps {
  view: View;
  layout: Layout;
  entries: readonly Entry[];
  pages: Pages<StoredObject> & { data: { pages: Page[] } | undefined };
  selection: Selection;
  commands: Commands;
  /** Whether what is listed can be dragged, and folders take it. */
  isMovable: boolean;
  onActive: (entry: Entry | null) => void;
  empty: ReactNode;
}

/** A folder of any length, as rows or as tiles: those in view alone are drawn. Its keys are those of a file manager. */
export function FileGrid({ view, layout, entries, pages, selection, commands, isMovable, onActive, empty }: FileGridProps) {
  const t = useText();
  const grid = useRef<HTMLDivElement | null>(null);
  const [offsetTop, body] = useOffsetTop<HTMLDivElement>();
  const [columns, measure] = useColumns(layout);
  const [active, setActive] = useState(0);
  const isMoving = useRef(false);
  const virtual = useWindowVirtualizer({
    count: Math.ceil(entries.length / columns),
    estimateSize: () => LINE_PX[layout],
    overscan: layout === "rows" ? AHEAD : 2,
    scrollMargin: offsetTop,
    scrollPaddingStart: HEAD_PX,
  });
  useEffect(() => virtual.measure(), [layout, virtual]);
  const lines = virtual.getVirtualItems();
  const lastShown = ((lines.at(-1)?.index ?? 0) + 1) * columns;
  const firstShown = (lines[0]?.index ?? 0) * columns;
  // Some entry that is drawn is always a stop for Tab: the active one may be deleted, or scrolled away.
  const stop = active >= firstShown && active < Math.min(lastShown, entries.length) ? active : firstShown;
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = pages;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isError && lastShown >= entries.length - AHEAD) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isError, fetchNextPage, lastShown, entries.length]);
  useRowInAddress(virtual, pages);
  useEffect(() => () => selection.clear(), [selection]);
  // Not of where Tab would lead, which changes as one scrolls.
  const activeEntry = entries[active] ?? null;
  useEffect(() => onActive(activeEntry), [onActive, activeEntry]);

  const latest = useRef(entries);
  latest.current = entries;
  const tick = useCallback(
    (entry: Entry, isRange: boolean) => (isRange ? selection.extend(entry, latest.current) : selection.toggle(entry)),
    [selection],
  );

  // What is gone to may be drawn only after the list has scrolled to it.
  useEffect(() => {
    if (!isMoving.current) return;
    const cell = grid.current?.querySelector(`[data-index="${active}"]`);
    // What was deleted cannot be opened, and has its box alone.
    const link = cell?.querySelector<HTMLElement>("a") ?? cell?.querySelector("input");
    if (!link) return;
    isMoving.current = false;
    link.focus({ preventScroll: true });
  });
  const move = (to: number) => {
    isMoving.current = true;
    setActive(to);
    virtual.scrollToIndex(Math.floor(to / columns));
  };
  const onKeyDown = useGridKeys({ entries, columns, active: stop, selection, commands, onMove: move });

  const entryAt = ({ target }: MouseEvent): [Entry, number] | null => {
    const index = Number((target as Element).closest("[data-index]")?.getAttribute("data-index") ?? -1);
    const entry = latest.current[index];
    return entry ? [entry, index] : null;
  };
  const onClick = (event: MouseEvent) => {
    const found = entryAt(event);
    const target = event.target as Element;
    if (!found || target.closest("input, button")) return;
    const [entry, index] = found;
    const [isMore, isRange] = [event.ctrlKey || event.metaKey, event.shiftKey];
    if (target.closest("a")) {
      // A name opens what it names; with a key held it is selected, as everywhere in the row.
      if (!isMore && !isRange) return;
      event.preventDefault();
    }
    if (isRange) selection.reach(entry, latest.current, latest.current[stop] ?? entry);
    else if (isMore) selection.toggle(entry);
    else selection.only(entry);
    isMoving.current = true;
    setActive(index);
  };
  const onDoubleClick = (event: MouseEvent) => {
    const found = entryAt(event);
    if (found && !(event.target as Element).closest("a, input, button")) commands.open(found[0]);
  };
  const onContextMenu = (event: MouseEvent) => {
    const found = entryAt(event);
    if (!found) return;
    event.preventDefault();
    const [entry, index] = found;
    if (!selection.has(entry.id)) selection.only(entry);
    setActive(index);
    commands.menu(entriesFor(entry, selection), { x: event.clientX, y: event.clientY });
  };

  const objects = useMemo(() => entries.filter(({ kind }) => kind === "object" || view === "all"), [entries, view]);
  if (pages.isPending) return <SkeletonRows />;
  if (pages.isError && entries.length === 0) return <ProblemNotice problem={pages.error} onRetry={() => void pages.refetch()} />;
  if (entries.length === 0) return empty;
  const shared = { view, selection, commands, isMovable, onTick: tick, onEnter: setActive };
  return (
    <>
      <div
        ref={(element) => {
          grid.current = element;
          measure(element);
        }}
        role="grid"
        aria-label={t("nav.files")}
        aria-rowcount={hasNextPage ? -1 : virtual.options.count + (layout === "rows" ? 1 : 0)}
        aria-colcount={layout === "tiles" ? columns : undefined}
        aria-multiselectable="true"
        data-layout={layout}
        className={styles.grid}
        onKeyDown={onKeyDown}
        onClick={onClick}
        onDoubleClick={onDoubleClick}
        onContextMenu={onContextMenu}
      >
        {layout === "rows" && <GridHead view={view} selection={selection} entries={objects} />}
        <div ref={body} role="rowgroup" className={styles.body} style={{ height: virtual.getTotalSize() }}>
          {lines.map(({ index: line, start }) => {
            const top = start - offsetTop;
            if (layout === "rows") {
              const entry = entries[line];
              return entry && <FileRow key={entry.id} {...shared} entry={entry} index={line} top={top} isActive={line === stop} />;
            }
            const first = line * columns;
            const place: CSSProperties = { transform: `translateY(${top}px)`, gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` };
            return (
              <div key={line} role="row" aria-rowindex={line + 1} className={styles.tiles} style={place}>
                {entries.slice(first, first + columns).map((entry, at) => (
                  <FileTile key={entry.id} {...shared} entry={entry} index={first + at} isActive={first + at === stop} />
                ))}
              </div>
            );
          })}
        </div>
      </div>
      {isError && <ProblemNotice problem={pages.error} onRetry={() => void fetchNextPage()} />}
    </>
  );
}
