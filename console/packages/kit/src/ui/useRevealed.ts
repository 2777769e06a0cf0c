import { useLayoutEffect, useRef, type RefObject } from "react";

/** Keeps the place where one is within what a long navigation shows; nothing else scrolls. */
export function useRevealed(isHere: boolean): RefObject<HTMLAnchorElement | null> {
  const link = useRef<HTMLAnchorElement>(null);
  useLayoutEffect(() => {
    const navigation = link.current?.closest("nav > div, nav");
    if (!isHere || !link.current || !navigation) return;
    const [own, room] = [link.current.getBoundingClientRect(), navigation.getBoundingClientRect()];
    navigation.scrollBy({ left: beyond(own.left, own.right, room.left, room.right), top: beyond(own.top, own.bottom, room.top, room.bottom) });
  }, [isHere]);
  return link;
}

/** How far to go for all of it to be seen, with something of what comes next. */
function beyond(start: number, end: number, from: number, to: number): number {
  const beside = (end - start) / 2;
  if (end + beside > to) return end + beside - to;
  return start - beside < from ? start - beside - from : 0;
}
