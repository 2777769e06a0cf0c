/** A turn as a job of the server: it is asked for once, goes on without this page, and is followed from any. */

import { authorizedFetch } from "@guildhall/console/api/client";
import { follow, type ServerEvent } from "@guildhall/console/api/events";
import { Problem, problemOf } from "@guildhall/console/api/problem";

interface TurnJob {
  id: string;
  state: string;
  result: { reply?: string } | null;
}

const AGAIN_MS = 500;
const TRIES = 20;

/** Asks for a turn; asked again with the same key, by a page after this one or by another tab, it is the same job. */
export async function beginTurn(path: string, body: object, key: string): Promise<string> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return (await call("POST", path, { ...body, background: true }, { "Idempotency-Key": key })).id;
    } catch (cause) {
      const isAsking = cause instanceof Problem && cause.code === "idempotency_conflict";
      if (!isAsking || left === 0) throw cause;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/** What a turn says, from its first word on; a connection that breaks is taken up where it was. */
export async function* followTurn(job: string, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  for await (const event of follow(`/api/jobs/${job}/events`, "done", signal)) {
    // Without an id it is about the connection, which is begun again.
    if (event.event === "error" && event.id === null) continue;
    yield event;
  }
}

export const readTurn = (job: string): Promise<TurnJob> => call("GET", `/api/jobs/${job}`);

/** Takes back a turn that has not begun; says whether it was. */
export function cancelTurn(job: string): Promise<boolean> {
  return call("POST", `/api/jobs/${job}/cancel`).then(
    () => true,
    () => false,
  );
}

/** Ends a turn that runs, or takes it back where it waits. */
export async function stopTurn(job: string): Promise<void> {
  await call("POST", `/api/jobs/${job}/stop`).catch(() => cancelTurn(job));
}

async function call(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<TurnJob> {
  const content = body && { body: JSON.stringify(body) };
  const response = await authorizedFetch(
    new Request(path, { method, headers: { ...headers, ...(body && { "Content-Type": "application/json" }) }, ...content }),
  );
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as TurnJob;
}
