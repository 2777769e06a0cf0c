import { useCallback, useRef, useState } from "react";

import type { Layout } from "./looks";

const TILE_PX = 168;
const GAP_PX = 12;
const FEWEST = 2;

/** How many entries stand beside one another, by the width of the list. */
export function useColumns(layout: Layout): [number, (list: HTMLElement | null) => void] {
  const [width, setWidth] = useState(0);
  const observer = useRef<ResizeObserver | null>(null);
  const measure = useCallback((list: HTMLElement | null) => {
    observer.current?.disconnect();
    if (!list) return;
    observer.current = new ResizeObserver(([entry]) => entry && setWidth(Math.round(entry.contentRect.width)));
    observer.current.observe(list);
  }, []);
  return [layout === "rows" ? 1 : Math.max(FEWEST, Math.floor((width + GAP_PX) / (TILE_PX + GAP_PX))), measure];
}
