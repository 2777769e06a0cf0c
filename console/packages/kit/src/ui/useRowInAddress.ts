import type { Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";

import type { Pages } from "./RowList";
import { addressOfRow, rowOfAddress } from "./rowAddress";

const SETTLED_MS = 250;

type Paging = Pick<Pages<unknown>, "hasNextPage" | "isFetchingNextPage" | "isError" | "fetchNextPage">;

/**
 * Keeps the row at the top of a list in the address, and finds it again: pages are asked for until it is there.
 *
 * Whoever scrolls meanwhile knows better.
 */
export function useRowInAddress(virtual: Virtualizer<Window, Element>, { hasNextPage, isFetchingNextPage, isError, fetchNextPage }: Paging): void {
  const { count } = virtual.options;
  const wanted = useRef(rowOfAddress(location.hash));
  useEffect(() => {
    const giveUp = () => (wanted.current = 0);
    const gestures = ["wheel", "touchmove", "keydown", "pointerdown"] as const;
    for (const gesture of gestures) window.addEventListener(gesture, giveUp, { passive: true });
    return () => gestures.forEach((gesture) => window.removeEventListener(gesture, giveUp));
  }, []);
  useEffect(() => {
    if (!wanted.current || count === 0 || isFetchingNextPage) return;
    if (count <= wanted.current && hasNextPage && !isError) {
      void fetchNextPage();
      return;
    }
    const row = Math.min(wanted.current, count - 1);
    wanted.current = 0;
    // Where the browser's history has brought the page there already, nothing moves.
    if (rowAtTop(virtual) !== row) virtual.scrollToIndex(row, { align: "start" });
  }, [virtual, count, hasNextPage, isFetchingNextPage, isError, fetchNextPage]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const { pathname } = location;
    const write = () => {
      if (wanted.current || location.pathname !== pathname) return;
      const address = addressOfRow(location.href, rowAtTop(virtual));
      // Not by `history.replaceState`, which the router listens to.
      if (address !== location.href) History.prototype.replaceState.call(history, history.state, "", address);
    };
    const onScroll = () => {
      clearTimeout(timer);
      timer = setTimeout(write, SETTLED_MS);
    };
    window.addEventListener("scroll", onScroll, { passive: true });
    // The gesture back may have scrolled the page before anything listened here.
    onScroll();
    return () => {
      clearTimeout(timer);
      window.removeEventListener("scroll", onScroll);
    };
  }, [virtual]);
}

function rowAtTop(virtual: Virtualizer<Window, Element>): number {
  const { scrollPaddingStart, scrollMargin } = virtual.options;
  const above = window.scrollY + scrollPaddingStart - scrollMargin;
  return above <= 0 ? 0 : (virtual.getVirtualItemForOffset(above + scrollMargin)?.index ?? 0);
}
