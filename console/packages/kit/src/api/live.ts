/** Lists that others change: one stream of the session names them, and whoever shows one fetches it again. */

import { useQueryClient, type QueryKey } from "@tanstack/react-query";
import { useEffect } from "react";

import { follow, pause } from "./events";

type Fetch = () => Promise<unknown>;

const SECONDS = 240;
/** When the server would not have one more stream. */
const REFUSED_MS = 60_000;
/** Those who look fetch what changes all the time at this pace, and a long list for a tenth of the time. */
const CALM_MS = 2_000;
const SHARE = 10;
/** A screen that comes shows its lists one after the other. */
const GATHER_MS = 50;

/** What is shown, with the path of its list; what is new was fetched just now. */
const shown = new Map<Fetch, { path: string; isNew: boolean }>();
let followed = "";
let stream = new AbortController();
let timer: ReturnType<typeof setTimeout> | undefined;

function begin(): void {
  const paths = document.visibilityState === "hidden" ? [] : [...shown.values()].map(({ path }) => path);
  const wanted = [...new Set(paths)].sort().join();
  if (wanted === followed) return;
  followed = wanted;
  stream.abort();
  stream = new AbortController();
  if (wanted) void listen(wanted, stream.signal);
}

async function listen(wanted: string, signal: AbortSignal): Promise<void> {
  const path = `/api/ui/events?wait_seconds=${SECONDS}&lists=${encodeURIComponent(wanted)}`;
  while (!signal.aborted) {
    try {
      for await (const { event, data } of follow(path, "end", signal)) take(event, (JSON.parse(data) as { lists?: string[] }).lists ?? []);
    } catch {
      await pause(REFUSED_MS, signal);
    }
  }
}

/** What was shown before a stream began may have changed meanwhile. */
function take(event: string, lists: readonly string[]): void {
  for (const [fetch, one] of shown) {
    if (lists.includes(one.path) && !(event === "ready" && one.isNew)) void fetch();
    one.isNew = false;
  }
}

function calmly(fetch: Fetch): Fetch {
  let isBusy = false;
  let isWanted = false;
  return async () => {
    isWanted = true;
    if (isBusy) return;
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      const began = performance.now();
      await fetch().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, Math.max(CALM_MS, SHARE * (performance.now() - began))));
    }
    isBusy = false;
  };
}

function plan(): void {
  clearTimeout(timer);
  timer = setTimeout(begin, GATHER_MS);
  document.addEventListener("visibilitychange", begin);
}

/** Fetches queries again when the list at a path of the API has changed, as long as somebody sees the page. */
export function useLive(path: string, ...keys: QueryKey[]): void {
  const client = useQueryClient();
  const named = JSON.stringify(keys);
  useEffect(() => {
    const fetch = calmly(() => Promise.all((JSON.parse(named) as QueryKey[]).map((queryKey) => client.invalidateQueries({ queryKey }))));
    shown.set(fetch, { path, isNew: true });
    plan();
    return () => {
      shown.delete(fetch);
      plan();
    };
  }, [client, path, named]);
}
