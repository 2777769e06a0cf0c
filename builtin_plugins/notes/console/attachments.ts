/** Files that stand with a note: in a folder of the repository, seen by those who see the note. */

import { api, authorizedFetch, dataOf } from "@guildhall/console/api/client";
import { problemOf } from "@guildhall/console/api/problem";
import { uploadTo } from "@guildhall/console/api/rows";
import type { Note, Visibility } from "./version";

const folderOf = (noteId: string) => `notes/${noteId}/`;
const LONGEST_NAME = 80;

/** A key of its own, in letters that every system takes. */
function keyOf(noteId: string, name: string): string {
  const plain = name.normalize("NFKC").replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+/, "").slice(-LONGEST_NAME);
  return `${folderOf(noteId)}${Date.now().toString(36)}-${plain || "file"}`;
}

const named = (name: string) => name.replace(/\.[^.]+$/, "").replace(/[\\[\]\n]/g, " ").trim();

/** Stores a file; gives what stands for it in the text: a picture, or a link to it. */
export async function attach(note: Note, file: File): Promise<string> {
  const path = `/api/repo/${keyOf(note.id, file.name).split("/").map(encodeURIComponent).join("/")}?visibility=${note.visibility}`;
  const { id } = (await uploadTo({ method: "PUT", path }, file)) as { id: string };
  for (const { user_id } of note.shared_with ?? []) await shareOne(id, user_id);
  return file.type.startsWith("image/") ? `![${named(file.name)}](/api/repo-obj/${id}/content)` : `[${named(file.name) || file.name}](/files/${id})`;
}

const shareOne = (id: string, user_id: string) => api.POST("/api/repo-obj/{id}/share", { params: { path: { id } }, body: { user_id } });

/** Does something with each file of a note that one may manage; the others stay as they are. */
async function each(noteId: string, act: (id: string) => Promise<unknown>): Promise<void> {
  const response = await authorizedFetch(new Request(`/api/repo?prefix=${encodeURIComponent(folderOf(noteId))}&limit=200`));
  if (!response.ok) throw await problemOf(response);
  const { items } = (await response.json()) as { items: { id?: string }[] };
  await Promise.all(items.flatMap(({ id }) => (id ? [act(id).catch(() => undefined)] : [])));
}

export const shareAttachments = (noteId: string, userId: string) => each(noteId, (id) => shareOne(id, userId));

export const unshareAttachments = (noteId: string, user_id: string) =>
  each(noteId, (id) => api.POST("/api/repo-obj/{id}/unshare", { params: { path: { id } }, body: { user_id } }));

/** What is shared by name stays so when the team does not see it any more. */
export function showAttachments(note: Note): Promise<void> {
  const visibility: Visibility | "shared" = note.visibility === "private" && note.shared_with?.length ? "shared" : note.visibility;
  return each(note.id, (id) => dataOf(api.POST("/api/repo-obj/{id}/visibility", { params: { path: { id } }, body: { visibility } })));
}
