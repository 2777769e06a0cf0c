import type { Entry } from "./tree";

export interface Point {
  x: number;
  y: number;
}

/** What can be done with entries of a list, whichever way it is asked for: by key, by mouse or from a menu. */
export interface Commands {
  open: (entry: Entry) => unknown;
  look: (entry: Entry) => unknown;
  rename: (entry: Entry) => unknown;
  remove: (entries: readonly Entry[]) => void;
  cut: (entries: readonly Entry[]) => void;
  move: (entries: readonly Entry[], prefix: string) => void;
  /** Opens the menu of entries, at a place of the window. */
  menu: (entries: readonly Entry[], at: Point) => void;
}
