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

/** Deletes what stands for the folder itself, where the other folder has one of those too: nothing else is left in it. */
export async function dropMarker(move: FolderMove): Promise<FolderMove> {
  const marker = move.skipped.find(({ key, code }) => key === move.from && code === "key_taken");
  if (!marker || move.left !== 1) return move;
  await api.DELETE("/api/repo-obj/{id}", { params: { path: { id: marker.id }, query: { keep: "1" } } });
  return settleSkipped(move, marker.id);
}

/** Puts back what a merge moved; returns the names of what could not go back. */
export async function unmerge(noted: readonly StoredObject[], { from, skipped }: FolderMove, stayed: readonly string[]): Promise<string[]> {
  const left = new Set([...skipped.map(({ id }) => id), ...stayed]);
  const marker = noted.find(({ key, id }) => key === from && stayed.includes(id));
  if (marker) await restore(marker).catch(() => undefined);
  const moved = noted.filter(({ id }) => !left.has(id));
  const failed = await each(moved, ({ id, key }) => api.POST("/api/repo-obj/{id}/move", { params: { path: { id } }, body: { key } }));
  return failed.map(({ name }) => name);
}
