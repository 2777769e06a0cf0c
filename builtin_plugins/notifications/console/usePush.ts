/** Says in the browser what is new, while nobody looks at the page; of the kinds for which somebody wants it. */

import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";

import { follow, pause } from "@guildhall/console/api/events";
import { LIST, loadChoices, type Notice } from "./inboxCalls";

const REFUSED_MS = 60_000;

export const canPush = () => "Notification" in window;

export function usePush(): void {
  const choices = useQuery({ queryKey: ["notification-choices"], queryFn: loadChoices, staleTime: Infinity, enabled: canPush() && Notification.permission === "granted" });
  const wanted = Object.entries(choices.data ?? {})
    .filter(([, { push }]) => push)
    .map(([kind]) => kind)
    .join(" ");
  useEffect(() => {
    if (!wanted) return;
    const stream = new AbortController();
    void listen(new Set(wanted.split(" ")), stream.signal);
    return () => stream.abort();
  }, [wanted]);
}

async function listen(wanted: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { event, data } of follow(`${LIST}/events`, "", signal)) {
        if (event === "notification" && document.visibilityState === "hidden") say(JSON.parse(data) as Notice, wanted);
      }
    } catch {
      await pause(REFUSED_MS, signal);
    }
  }
}

function say({ id, kind, text, link }: Notice, wanted: ReadonlySet<string>): void {
  if (!wanted.has(kind) || Notification.permission !== "granted") return;
  // The same in several windows is shown once.
  const shown = new Notification(text, { tag: id });
  shown.onclick = () => {
    window.focus();
    location.assign(link);
  };
}
