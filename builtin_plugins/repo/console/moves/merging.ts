/** A folder whose contents go into one that exists: what was moved is noted before, so that it can go back. */

import { api } from "@guildhall/console/api/client";
import { each, restore } from "../changes";
import { loadAllBelow, loadPage, type StoredObject } from "../objects";
import { settleSkipped, type FolderMove } from "./folderMoves";

/** What is more than this goes back file by file for longer than anybody waits. */
export const MAX_UNDONE = 1_000;
const MAX_COPIES = 100;

/** Whether nothing lies below a prefix. */
export async function isFree(prefix: string): Promise<boolean> {
  const { items, folders } = await loadPage("all", prefix, {});
  return items.length === 0 && folders.length === 0;
}

/** The prefix beside one that is taken: `plans (2)/`. */
export async function freePrefix(taken: string): Promise<string> {
  for (let copy = 2; copy < MAX_COPIES; copy += 1) {
    const prefix = `${taken.slice(0, -1)} (${copy})/`;
    if (await isFree(prefix)) return prefix;
  }
  return `${taken.slice(0, -1)} (${crypto.randomUUID()})/`;
}

/** All that may have to go back, null where that is too much. */
export async function noteAll(prefix: string): Promise<StoredObject[] | null> {
  const found = await loadAllBelow(prefix, MAX_UNDONE + 1);
  return found.length > MAX_UNDONE ? null : found;
}

/**
 * What stands for the folder itself is nothing that people know of: it is not told that it stayed, and where nothing
 * else is left it is deleted. Returns the move without it, and whether it is gone.
 */
export async function dropMarker(move: FolderMove): Promise<{ move: FolderMove; isGone: boolean }> {
  const marker = move.skipped.find(({ key, code }) => key === move.from && code === "key_taken");
  if (!marker) return { move, isGone: false };
  const isGone = move.left === 1;
  if (isGone) await api.DELETE("/api/repo-obj/{id}", { params: { path: { id: marker.id }, query: { keep: "1" } } });
  return { move: settleSkipped(move, marker.id), isGone };
}

/** Puts back what a merge moved; returns the names of what could not go back. */
export async function unmerge(noted: readonly StoredObject[], { from, skipped }: FolderMove, isMarkerGone: boolean): Promise<string[]> {
  const left = new Set(skipped.map(({ id }) => id));
  const marker = isMarkerGone ? noted.find(({ key }) => key === from) : undefined;
  if (marker) await restore(marker);
  const moved = noted.filter((one) => !left.has(one.id) && one !== marker);
  const failed = await each(moved, ({ id, key }) => api.POST("/api/repo-obj/{id}/move", { params: { path: { id } }, body: { key } }));
  return failed.map(({ name }) => name);
}
