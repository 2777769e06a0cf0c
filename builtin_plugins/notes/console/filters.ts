/** Which notes a list shows. */

import type { Note } from "./version";

/** `company` and `bin` are asked of the server; the others are told apart here, as the server tells whose a note is. */
export const SHOWN = ["all", "mine", "team", "shared", "company", "bin"] as const;
export type Shown = (typeof SHOWN)[number];

export function shownOf(value: string | undefined, mayCompany: boolean): Shown {
  const found = SHOWN.find((shown) => shown === value) ?? "all";
  return found === "company" && !mayCompany ? "all" : found;
}

export function isShown(note: Note, shown: Shown, userId: string): boolean {
  if (shown === "mine") return note.owner.id === userId;
  if (shown === "team") return note.visibility === "team";
  if (shown === "shared") return note.owner.id !== userId && note.visibility === "private";
  return true;
}
