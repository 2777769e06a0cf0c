/** What somebody took off their first page, on this device. */

import { useCallback, useState } from "react";

import type { Dismissed, WaitingItem } from "@guildhall/console/screens/define";

const KEY = "guildhall.dismissed.";
/** What was dismissed this long ago is too old to be shown again. */
const KEPT_MS = 90 * 86_400_000;

export function useDismissed(person: string): [Dismissed, (item: WaitingItem) => () => void] {
  const [dismissed, setDismissed] = useState(() => read(person));
  const store = useCallback(
    (next: Dismissed) => {
      setDismissed(next);
      write(person, next);
    },
    [person],
  );
  /** Takes it away until it waits anew; returns what brings it back. */
  const dismiss = ({ id, at }: WaitingItem) => {
    store({ ...dismissed, [id]: at ?? new Date().toISOString() });
    return () => store(dismissed);
  };
  return [dismissed, dismiss];
}

export const isDismissed = ({ id, at }: WaitingItem, dismissed: Dismissed): boolean => dismissed[id] !== undefined && (at ?? "") <= dismissed[id];

function read(person: string): Dismissed {
  try {
    return (JSON.parse(localStorage.getItem(KEY + person) ?? "null") as Dismissed | null) ?? {};
  } catch {
    return {};
  }
}

function write(person: string, dismissed: Dismissed): void {
  const kept = Object.entries(dismissed).filter(([, at]) => Date.now() - Date.parse(at) < KEPT_MS);
  try {
    localStorage.setItem(KEY + person, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // Gone with this page, then.
  }
}
