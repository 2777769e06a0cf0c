/** Notes and files by the words in them; without words, what changed last. */

import { api, dataOf } from "@guildhall/console/api/client";
import type { FindLinks, Linked } from "./linking";

const MAX_OF_EACH = 6;
const PLACES: Record<string, string> = { note: "/notes", object: "/files" };

async function byWords(q: string, type: string): Promise<Linked[]> {
  const { items, unavailable } = await dataOf(api.GET("/api/search", { params: { query: { q, type, limit: MAX_OF_EACH } } }));
  if (unavailable.length) throw new Error(`${type} could not be searched`);
  return items.map(({ id, title }) => ({ type, title: title.trim() || id, path: `${PLACES[type]}/${id}` }));
}

async function latest(): Promise<Linked[]> {
  const { items } = await dataOf(api.GET("/api/notes", { params: { query: { sort: "updated", limit: MAX_OF_EACH } } }));
  return items.map(({ id, title }) => ({ type: "note", title: title.trim() || id, path: `/notes/${id}` }));
}

export const findLinks: FindLinks = async (words) => {
  const q = words.trim();
  if (!q) return latest();
  const found = await Promise.allSettled([byWords(q, "note"), byWords(q, "object")]);
  const failed = found.find(({ status }) => status === "rejected");
  const items = found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  // Of what can be searched, what there is.
  if (failed && items.length === 0) throw new Error("nothing could be searched");
  return items;
};
