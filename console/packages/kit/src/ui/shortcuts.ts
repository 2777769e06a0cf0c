/** Keys that work everywhere but where somebody types. */

import { useEffect, useRef } from "react";

const TYPED_IN = "input, textarea, select, [contenteditable=''], [contenteditable='true'], [role=combobox], [data-typing]";
const SEQUENCE_MS = 1_200;

export function isTyping(event: KeyboardEvent): boolean {
  const origin = event.composedPath()[0];
  return origin instanceof Element && origin.closest(TYPED_IN) !== null;
}

export interface Shortcuts {
  onPalette: () => void;
  onHelp: () => void;
  /** The letter after g; returns whether it leads anywhere. */
  onGo: (letter: string) => boolean;
}

/** ⌘K and Ctrl+K open the palette, ? the help, and g with a letter goes to a place. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    let goAt = -Infinity;
    const onKey = (event: KeyboardEvent) => {
      const { onPalette, onHelp, onGo } = latest.current;
      const isPalette = (event.metaKey || event.ctrlKey) && !event.altKey && event.key.toLowerCase() === "k";
      // Where links are written, the key makes one.
      if (isPalette && isTyping(event) && (event.composedPath()[0] as Element).closest("[data-writes-links]")) return;
      if (isPalette) {
        event.preventDefault();
        onPalette();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event) || document.querySelector("[role=dialog], [role=alertdialog]")) return;
      if (event.timeStamp - goAt < SEQUENCE_MS) {
        goAt = -Infinity;
        // Before a list takes the letter as its own.
        if (onGo(event.key.toLowerCase())) (event.preventDefault(), event.stopPropagation());
      } else if (event.key === "?") {
        event.preventDefault();
        onHelp();
      } else if (event.key === "g") goAt = event.timeStamp;
    };
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, []);
}
