/** What was cut, to be pasted into another folder: it stays where it is until then. */

import { useSyncExternalStore } from "react";

import { sessions } from "@guildhall/console/session/store";
import type { Entry } from "../tree";

let entries: readonly Entry[] = [];
const listeners = new Set<() => void>();

function set(next: readonly Entry[]): void {
  entries = next;
  listeners.forEach((listener) => listener());
}

export const cut = {
  get entries(): readonly Entry[] {
    return entries;
  },
  put: set,
  clear: () => entries.length > 0 && set([]),
};

// Nobody pastes what somebody else has cut, nor into another team.
let holder = sessions.generation;
sessions.subscribe(() => {
  if (sessions.generation !== holder) cut.clear();
  holder = sessions.generation;
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useCut = (): readonly Entry[] => useSyncExternalStore(subscribe, () => entries);
export const useIsCut = (id: string): boolean => useSyncExternalStore(subscribe, () => entries.some((entry) => entry.id === id));
