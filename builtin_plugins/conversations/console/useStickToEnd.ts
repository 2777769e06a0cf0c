import { useCallback, useEffect, useRef, useState } from "react";

const NEAR_PX = 48;

/** Keeps the end of what grows in view, for a reader who is there; whoever scrolled up is left alone. */
export function useStickToEnd() {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [isAway, setAway] = useState(false);

  const toEnd = useCallback(() => {
    isAtEnd.current = true;
    setAway(false);
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, []);

  useEffect(() => {
    const view = scroller.current;
    const grown = content.current;
    if (!view || !grown) return;
    let top = view.scrollTop;
    const look = () => {
      const isNear = view.scrollHeight - view.scrollTop - view.clientHeight < NEAR_PX;
      // Growth moves the end away from a reader who has not moved: only going up leaves it.
      if (isNear) isAtEnd.current = true;
      else if (view.scrollTop < top) isAtEnd.current = false;
      top = view.scrollTop;
      setAway(!isAtEnd.current);
    };
    // After the layout that the growth needs anyway: nothing is measured twice.
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) view.scrollTop = view.scrollHeight;
    });
    observer.observe(grown);
    observer.observe(view);
    view.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      view.removeEventListener("scroll", look);
    };
  }, []);
  return { scroller, content, isAway, toEnd };
}
