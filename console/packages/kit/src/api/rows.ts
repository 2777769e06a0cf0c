/** Calls of rows that are known by their paths alone: those of plugins, which no type describes. */

import { authorizedFetch } from "./client";
import { problemOf } from "./problem";

export interface RowCall {
  method: string;
  path: string;
  body?: unknown;
  /** The same for every attempt at the same thing, so that a retry does it once. */
  key?: string;
}

export function requestOf({ method, path, body, key }: RowCall): Request {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key && method === "POST") headers["Idempotency-Key"] = key;
  return new Request(new URL(path, location.origin), {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

export async function callRow(call: RowCall): Promise<unknown> {
  const response = await authorizedFetch(requestOf(call));
  if (!response.ok) throw await problemOf(response);
  return response.status === 204 ? null : response.json();
}

/** A name for one attempt; unlike `randomUUID` it can be made where the page came without TLS. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Sends a file as it is, by its own type. */
export async function uploadTo({ method, path }: RowCall, file: File): Promise<unknown> {
  const headers = { Accept: "application/json", "Content-Type": file.type || "application/octet-stream" };
  const response = await authorizedFetch(new Request(new URL(path, location.origin), { method, headers, body: file }));
  if (!response.ok) throw await problemOf(response);
  return response.status === 204 ? null : response.json();
}
