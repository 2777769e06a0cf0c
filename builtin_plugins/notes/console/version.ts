/** A note as the server last told it, with its ETag, and what of it can be written. */

import type { paths } from "@guildhall/console/api/schema";

export type Note = paths["/api/notes/{id}"]["get"]["responses"]["200"]["content"]["application/json"];
export type Visibility = Note["visibility"];
export type Permission = Note["permissions"][number];

export interface Version {
  note: Note;
  etag: string;
}

/** Whether one was saved after the other: an answer may come late. */
export function isNewer(one: Version, other: Version): boolean {
  const revisionOf = ({ etag }: Version) => Number(/\.(\d+)"$/.exec(etag)?.[1]);
  return revisionOf(one) > revisionOf(other);
}

export interface Fields {
  title: string;
  body: string;
  visibility: Visibility;
}

export const EMPTY: Fields = { title: "", body: "", visibility: "private" };

export const fieldsOf = ({ title, body, visibility }: Fields): Fields => ({ title, body, visibility });

export function isSame(one: Fields, other: Fields): boolean {
  return one.title === other.title && one.visibility === other.visibility && one.body === other.body;
}

/** What of it is to be sent: what was left alone is not. */
export function changedFields(base: Fields, mine: Fields): Partial<Fields> {
  const changed: Partial<Fields> = {};
  if (mine.title !== base.title) changed.title = mine.title;
  if (mine.body !== base.body) changed.body = mine.body;
  if (mine.visibility !== base.visibility) changed.visibility = mine.visibility;
  return changed;
}

/** Mine where I changed it, else theirs; the bodies were joined already. */
export function joinFields(base: Fields, mine: Fields, theirs: Fields, body: string): Fields {
  return {
    title: mine.title === base.title ? theirs.title : mine.title,
    visibility: mine.visibility === base.visibility ? theirs.visibility : mine.visibility,
    body,
  };
}
