/** Reading and writing a note, each answer with its ETag. */

import { authorizedFetch } from "@guildhall/console/api/client";
import { problemOf } from "@guildhall/console/api/problem";
import { changedFields, type Fields, type Note, type Version } from "./version";

/** The version that an answer tells. */
export async function versionOf(response: Response): Promise<Version> {
  if (!response.ok) throw await problemOf(response);
  return { note: (await response.json()) as Note, etag: response.headers.get("ETag") ?? "" };
}

/** What a browser still sends when its page is gone. */
const MAX_KEPT_ALIVE = 60_000;

async function send(method: string, path: string, fields: Partial<Fields>, headers: Record<string, string>): Promise<Version> {
  const body = JSON.stringify(fields);
  const keepalive = new Blob([body]).size < MAX_KEPT_ALIVE;
  return versionOf(await authorizedFetch(new Request(path, { method, body, keepalive, headers: { "Content-Type": "application/json", ...headers } })));
}

/** The same key a second time makes no second note. */
export const createNote = (fields: Fields, key: string) => send("POST", "/api/notes", fields, { "Idempotency-Key": key });

/** Refused with 412 where somebody changed it meanwhile. */
export const updateNote = (over: Version, fields: Fields, isAutosave: boolean) =>
  send("PUT", `/api/notes/${over.note.id}${isAutosave ? "?autosave=1" : ""}`, changedFields(over.note, fields), { "If-Match": over.etag });

/** Reads a note; `held` is given back where nothing changed since. */
export async function readVersion(id: string, acrossCompany: boolean, held?: Version, signal?: AbortSignal): Promise<Version> {
  const scope = acrossCompany ? "?scope=org" : "";
  const headers: Record<string, string> = held ? { "If-None-Match": held.etag } : {};
  const request = new Request(`/api/notes/${encodeURIComponent(id)}${scope}`, { headers, cache: "no-store", signal: signal ?? null });
  const response = await authorizedFetch(request);
  return response.status === 304 && held ? held : versionOf(response);
}
