import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import type { Pages } from "@guildhall/console/ui/RowList";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { useRowInAddress } from "@guildhall/console/ui/useRowInAddress";
import styles from "./FileGrid.module.css";
import { FileRow } from "./FileRow";
import { GridHead } from "./GridHead";
import type { StoredObject, View } from "./objects";
import type { Selection } from "./selection";
import type { Entry, Page } from "./tree";

const ROW_PX = 40;
const AHEAD = 10;

export interface FileGridProps {
  view: View;
  entries: readonly Entry[];
  pages: Pages<StoredObject> & { data: { pages: Page[] } | undefined };
  selection: Selection;
  empty: ReactNode;
}

/** A folder of any length: rows in view alone are drawn. j and k move, Enter opens, x ticks, Esc unticks all. */
export function FileGrid({ view, entries, pages, selection, empty }: FileGridProps) {
  const t = useText();
  const body = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  const [active, setActive] = useState(0);
  const isMoving = useRef(false);
  useLayoutEffect(() => setMargin(body.current?.offsetTop ?? 0), [entries.length]);
  const virtual = useWindowVirtualizer({ count: entries.length, estimateSize: () => ROW_PX, overscan: AHEAD, scrollMargin: margin });
  const shown = virtual.getVirtualItems();
  const lastShown = shown.at(-1)?.index ?? 0;
  // Some row that is drawn is always a stop for Tab: the active one may be deleted, or scrolled away.
  const stop = shown.some(({ index }) => index === active) ? active : (shown[0]?.index ?? 0);
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = pages;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isError && lastShown >= entries.length - AHEAD) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isError, fetchNextPage, lastShown, entries.length]);
  useRowInAddress(virtual, pages);
  useEffect(() => () => selection.clear(), [selection]);

  const objects = useMemo(() => entries.flatMap((entry) => (entry.kind === "object" ? entry.object : [])), [entries]);
  const latest = useRef(objects);
  latest.current = objects;
  const tick = useCallback(
    (object: StoredObject, isRange: boolean) => (isRange ? selection.extend(object, latest.current) : selection.toggle(object)),
    [selection],
  );

  // The row may be drawn only after the list has scrolled to it.
  useEffect(() => {
    if (!isMoving.current) return;
    const line = body.current?.querySelector(`[data-index="${active}"]`);
    // What was deleted cannot be opened, and has its box alone.
    const link = line?.querySelector<HTMLElement>("a") ?? line?.querySelector("input");
    if (!link) return;
    isMoving.current = false;
    link.focus({ preventScroll: true });
  });
  const move = (to: number) => {
    const next = Math.max(0, Math.min(entries.length - 1, to));
    isMoving.current = true;
    setActive(next);
    virtual.scrollToIndex(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const entry = entries[active];
    if (event.key === "j" || event.key === "ArrowDown") move(active + 1);
    else if (event.key === "k" || event.key === "ArrowUp") move(active - 1);
    else if (event.key === "Home") move(0);
    else if (event.key === "End") move(entries.length - 1);
    else if (event.key === "x" && entry?.kind === "object") selection.toggle(entry.object);
    else if (event.key === "Escape") selection.clear();
    else return;
    event.preventDefault();
  };

  if (pages.isPending) return <SkeletonRows />;
  if (pages.isError && entries.length === 0) return <ProblemNotice problem={pages.error} onRetry={() => void pages.refetch()} />;
  if (entries.length === 0) return empty;
  return (
    <>
      <div
        role="grid"
        aria-label={t("nav.files")}
        aria-rowcount={hasNextPage ? -1 : entries.length + 1}
        aria-multiselectable="true"
        className={styles.grid}
        onKeyDown={onKeyDown}
      >
        <GridHead view={view} selection={selection} objects={objects} />
        <div ref={body} role="rowgroup" className={styles.body} style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const entry = entries[index];
            return (
              entry && (
                <FileRow
                  key={entry.id}
                  view={view}
                  entry={entry}
                  index={index}
                  top={start - margin}
                  isActive={index === stop}
                  selection={selection}
                  onTick={tick}
                  onEnter={setActive}
                />
              )
            );
          })}
        </div>
      </div>
      {isError && <ProblemNotice problem={pages.error} onRetry={() => void fetchNextPage()} />}
    </>
  );
}
