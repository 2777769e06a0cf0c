import { useEffect, useRef } from "react";

const PAUSE_MS = 1_500;
/** Whoever never pauses is saved all the same. */
const LONGEST_MS = 10_000;

/** Saves when the writer pauses, where that `isWanted`, and when they leave; `save` knows whether there is anything. */
export function useAutosave(written: unknown, isWanted: boolean, save: () => unknown): void {
  const latest = useRef(save);
  latest.current = save;
  const since = useRef<number | null>(null);
  useEffect(() => {
    if (!isWanted) {
      since.current = null;
      return;
    }
    since.current ??= performance.now();
    const wait = Math.max(0, Math.min(PAUSE_MS, since.current + LONGEST_MS - performance.now()));
    const timer = setTimeout(() => {
      since.current = null;
      latest.current();
    }, wait);
    return () => clearTimeout(timer);
  }, [written, isWanted]);
  useEffect(() => {
    const onHidden = () => document.visibilityState === "hidden" && latest.current();
    document.addEventListener("visibilitychange", onHidden);
    window.addEventListener("pagehide", onHidden);
    return () => {
      document.removeEventListener("visibilitychange", onHidden);
      window.removeEventListener("pagehide", onHidden);
      latest.current();
    };
  }, []);
}
