/** Says in the browser what is new, while nobody looks at the page; of the kinds for which somebody wants it. */

import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";

import { follow, pause } from "@guildhall/console/api/events";
import { callRow } from "@guildhall/console/api/rows";
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
    void register().catch(() => undefined);
    const stream = new AbortController();
    void listen(new Set(wanted.split(" ")), stream.signal);
    return () => stream.abort();
  }, [wanted]);
}

const DEVICES = "/api/push-devices";

/** Has the browser told by the server too, for when no page is open; where that cannot be, this page tells it. */
async function register(): Promise<void> {
  const worker = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  const pushes = (await worker?.getRegistration())?.pushManager;
  if (!pushes) return;
  const { public_key: applicationServerKey, items } = (await callRow({ method: "GET", path: DEVICES })) as { public_key: string; items: { current: boolean }[] };
  const before = await pushes.getSubscription();
  if (before && items.some(({ current }) => current)) return;
  const subscription = before ?? (await pushes.subscribe({ userVisibleOnly: true, applicationServerKey }));
  await callRow({ method: "POST", path: DEVICES, body: subscription.toJSON() });
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
