/** Small pictures of files, a few asked for at a time, and none of what was only scrolled past. */

import { useQuery } from "@tanstack/react-query";

import { authorizedFetch } from "@guildhall/console/api/client";
import { problemOf } from "@guildhall/console/api/problem";
import { mediaType } from "@guildhall/console/ui/sizes";
import { scopeQuery } from "./download";
import type { StoredObject } from "./objects";
import { readAddress } from "./preview/content";

const DRAWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "image/x-ms-bmp", "application/pdf"]);
const MAX_BYTES = 64 * 1024 * 1024;
const AT_ONCE = 4;
const SETTLED_MS = 120;
const NONE = 404;

const waiting: (() => void)[] = [];
let running = 0;

/** Waits for one of a few turns; returns what gives it back. Raises for what is not wanted any more. */
async function turn(signal: AbortSignal): Promise<() => void> {
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  const done = () => {
    running -= 1;
    waiting.shift()?.();
  };
  if (signal.aborted) {
    done();
    signal.throwIfAborted();
  }
  return done;
}

/** Whether there may be a small picture; the server looks at the bytes. */
export const isDrawn = ({ content_type, size }: { content_type: string; size: number }): boolean =>
  DRAWN.has(mediaType(content_type)) && size > 0 && size <= MAX_BYTES;

async function load(id: string, size: number, signal: AbortSignal): Promise<string | null> {
  const done = await turn(signal);
  try {
    const query = new URLSearchParams({ ...scopeQuery(), size: String(size) });
    const response = await authorizedFetch(new Request(`/api/repo-obj/${id}/thumbnail?${query}`, { signal }));
    if (response.status === NONE) return null;
    if (!response.ok) throw await problemOf(response);
    return await readAddress(await response.blob());
  } finally {
    done();
  }
}

/** The small picture of the newest version as a `data:` address; null where there is none. */
export function useThumbnail(object: StoredObject, size: 64 | 256 | 1024, isWanted = true) {
  return useQuery({
    queryKey: ["thumbnail", object.id, object.version, size],
    queryFn: ({ signal }) => load(object.id, size, signal),
    enabled: isWanted && isDrawn(object),
    staleTime: Infinity,
    gcTime: 300_000,
    retry: false,
  });
}
