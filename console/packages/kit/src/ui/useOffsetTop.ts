import { useCallback, useEffect, useState, type RefCallback } from "react";

/** How far below the top of the document an element begins, whatever appears above it meanwhile. */
export function useOffsetTop<Kind extends HTMLElement>(): [number, RefCallback<Kind>] {
  const [offset, setOffset] = useState(0);
  const [element, setElement] = useState<Kind | null>(null);
  const ref = useCallback((found: Kind | null) => {
    setElement(found);
    if (found) setOffset(topOf(found));
  }, []);
  useEffect(() => {
    if (!element) return;
    const observer = new ResizeObserver(() => setOffset(topOf(element)));
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return [offset, ref];
}

const topOf = (element: HTMLElement) => Math.round(element.getBoundingClientRect().top + window.scrollY);
