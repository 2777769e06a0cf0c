/** Folders that are to go where one of their name is already: what somebody chooses, one folder after the other. */

import { useSyncExternalStore } from "react";

import { sessions } from "@guildhall/console/session/store";

/** Both in one, both beside each other under two names, or neither. */
export type ClashChoice = "merge" | "both" | "cancel";

export interface Clash {
  name: string;
  /** The folder that has one of this name. */
  place: string;
  /** Whether a merge can be taken back. */
  isUndoable: boolean;
  answer: (choice: ClashChoice) => void;
}

let waiting: readonly Clash[] = [];
const listeners = new Set<() => void>();

function set(next: readonly Clash[]): void {
  waiting = next;
  listeners.forEach((listener) => listener());
}

/** Asks, once what was asked before is answered. */
export function askClash(about: Omit<Clash, "answer">): Promise<ClashChoice> {
  return new Promise((resolve) => {
    const clash: Clash = {
      ...about,
      answer: (choice) => {
        set(waiting.filter((one) => one !== clash));
        resolve(choice);
      },
    };
    set([...waiting, clash]);
  });
}

// What one person was asked is nothing to whoever signs in after them.
let asked = sessions.generation;
sessions.subscribe(() => {
  if (sessions.generation !== asked) waiting.forEach(({ answer }) => answer("cancel"));
  asked = sessions.generation;
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useClash = (): Clash | undefined => useSyncExternalStore(subscribe, () => waiting[0]);
