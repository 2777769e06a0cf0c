/** Server-sent events by `fetch`, which can carry the bearer; taken up again where they broke off. */

import { authorizedFetch } from "./client";
import { problemOf, Unreachable } from "./problem";

export interface ServerEvent {
  id: string | null;
  event: string;
  data: string;
}

/** The server is heard from every fifteen seconds, by a comment where there is no event. */
const LONGEST_SILENCE_MS = 45_000;

/** Yields the events of one answer; one that falls silent is broken, though nobody hung up. */
export async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
  const reader = stream.pipeThrough(decoder).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await heard(reader.read());
      if (done) return;
      rest += value;
      const blocks = rest.split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parse(block);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function heard<T>(next: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TypeError("nothing was heard for too long")), LONGEST_SILENCE_MS);
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}

function parse(block: string): ServerEvent | null {
  let id: string | null = null;
  let event = "message";
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "id") id = value;
    else if (name === "event") event = value;
    else if (name === "data") data.push(value);
  }
  return data.length ? { id, event, data: data.join("\n") } : null;
}

const LONGEST_WAIT_MS = 15_000;

/** Follows a path until an event named `last` comes, behind the one with the id `from`; a broken connection is begun again. */
export async function* follow(path: string, last: string, signal: AbortSignal, from: string | null = null): AsyncGenerator<ServerEvent> {
  let lastId = from;
  for (let failures = 0; ; failures += 1) {
    try {
      const headers = new Headers({ Accept: "text/event-stream" });
      if (lastId) headers.set("Last-Event-ID", lastId);
      const response = await authorizedFetch(new Request(path, { headers, signal }));
      if (!response.ok || !response.body) throw await problemOf(response);
      for await (const event of readEvents(response.body)) {
        failures = 0;
        lastId = event.id ?? lastId;
        yield event;
        if (event.event === last) return;
      }
    } catch (cause) {
      if (signal.aborted) return;
      if (!(cause instanceof Unreachable) && !(cause instanceof TypeError)) throw cause;
    }
    await pause(Math.min(LONGEST_WAIT_MS, 500 * 2 ** failures), signal);
  }
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
