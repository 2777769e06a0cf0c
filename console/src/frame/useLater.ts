import { useEffect, useState } from "react";

const CALM_MS = 10_000;
const TOUCHES = ["pointerdown", "keydown", "online"] as const;

/** Whether somebody has begun to work here, or could have: what may be needed then is loaded, and does not delay the first page. */
export function useLater(): boolean {
  const [isLater, setLater] = useState(false);
  useEffect(() => {
    const stopping = new AbortController();
    // Without a network nothing is loaded; a browser may not try again.
    const begin = () => navigator.onLine && (stopping.abort(), setLater(true));
    const timer = setTimeout(begin, CALM_MS);
    for (const touch of TOUCHES) window.addEventListener(touch, begin, { capture: true, signal: stopping.signal });
    stopping.signal.addEventListener("abort", () => clearTimeout(timer));
    return () => stopping.abort();
  }, []);
  return isLater;
}
