/** Notes that are not saved yet: each has a name on this device, which its address carries, so that tabs and teams do not meet. */

import { listDrafts } from "@guildhall/console/drafts/store";
import { decodeDraft } from "./noteDraft";

/** The address of a note that is to be begun. */
export const NEW = "new";
const PREFIX = `${NEW}-`;
const LONGEST_NAME = 80;

export const beginNew = (): string => PREFIX + crypto.getRandomValues(new Uint32Array(1))[0]!.toString(36);
export const isNew = (id: string): boolean => id === NEW || id.startsWith(PREFIX);

/** What the draft of a new note is kept as. */
export const keptAs = (teamId: string, id: string): string => `note.${teamId}.${id}`;

export interface Unfinished {
  id: string;
  /** Its title, or how it begins. */
  name: string;
  at: string;
}

/** The new notes of a team that somebody began on this device and never saved, the latest first. */
export function unfinishedNotes(userId: string, teamId: string): Unfinished[] {
  return listDrafts(userId, keptAs(teamId, PREFIX)).flatMap(({ thing, draft }) => {
    const mine = decodeDraft(draft)?.mine;
    if (!mine) return [];
    const name = (mine.title.trim() || mine.body.trim().split("\n", 1)[0] || "").slice(0, LONGEST_NAME);
    return [{ id: thing.slice(keptAs(teamId, "").length), name, at: new Date(draft.at).toISOString() }];
  });
}
