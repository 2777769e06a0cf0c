/** Says in the browser what is new, of the kinds for which somebody wants it: by Web Push, and from a page that nobody looks at. */

import { useQuery } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";

import { follow, pause } from "@guildhall/console/api/events";
import { Problem } from "@guildhall/console/api/problem";
import { callRow } from "@guildhall/console/api/rows";
import { sessions } from "@guildhall/console/session/store";
import { CHOICES, LIST, loadChoices, type Notice } from "./inboxCalls";

const REFUSED_MS = 60_000;
const DEVICES = "/api/push-devices";

/** What keeps this browser from showing any notification. */
export type Obstacle = "insecure" | "missing" | "refused" | "unasked";

/** Whether a browser that may show notifications does it without an open page; `no_service`: it would, and cannot. */
export type Reach = "always" | "while_open" | "no_service";

function findObstacle(): Obstacle | null {
  if (!isSecureContext) return "insecure";
  if (!("Notification" in window)) return "missing";
  if (Notification.permission === "granted") return null;
  return Notification.permission === "denied" ? "refused" : "unasked";
}

const asking = new EventTarget();

/** Follows the permission, which people change in their browser's settings too. */
function followPermission(onChange: () => void): () => void {
  const over = new AbortController();
  const { signal } = over;
  asking.addEventListener("change", onChange, { signal });
  const permissions = navigator.permissions as Permissions | undefined;
  void permissions
    ?.query({ name: "notifications" })
    .then((status) => status.addEventListener("change", onChange, { signal }))
    .catch(() => undefined);
  return () => over.abort();
}

/** Has the browser ask its person, once; who says no there still has everything in the inbox. */
export async function askPermission(): Promise<void> {
  if (findObstacle() !== "unasked") return;
  await Notification.requestPermission();
  asking.dispatchEvent(new Event("change"));
}

/** What keeps this browser from showing what is wanted, or else how far it reaches. */
export function usePushHere() {
  const obstacle = useSyncExternalStore(followPermission, findObstacle);
  const isFree = obstacle === null;
  const choices = useQuery({ queryKey: CHOICES, queryFn: loadChoices, staleTime: Infinity, enabled: isFree });
  const wanted = Object.entries(choices.data ?? {})
    .filter(([, { push }]) => push)
    .map(([kind]) => kind)
    .join(" ");
  const isWanted = wanted !== "";
  // A browser is registered for a session: one that follows another registers it anew.
  const session = useSyncExternalStore(sessions.subscribe, () => sessions.current);
  const device = useQuery({
    queryKey: ["push-device", isWanted, session?.expiresAt],
    queryFn: () => inTurn(isWanted ? register : unregister),
    enabled: isFree && choices.data !== undefined,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  return { obstacle, wanted, device };
}

export function usePush(): void {
  const { obstacle, wanted } = usePushHere();
  const heard = obstacle === null ? wanted : "";
  useEffect(() => {
    if (!heard) return;
    const stream = new AbortController();
    void listen(new Set(heard.split(" ")), stream.signal);
    return () => stream.abort();
  }, [heard]);
}

let last: Promise<unknown> = Promise.resolve();

/** Who turns it on and off at once ends with what they said last. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = last.then(work);
  last = result.catch(() => undefined);
  return result;
}

interface Devices {
  public_key: string;
  items: { id: string; current: boolean }[];
}

/** The person's browsers, as the server has them; null where it does not push. */
async function loadDevices(): Promise<Devices | null> {
  try {
    return (await callRow({ method: "GET", path: DEVICES })) as Devices;
  } catch (cause) {
    if (cause instanceof Problem && cause.status === 404) return null;
    throw cause;
  }
}

/** Has the server push to this browser, for when no page is open; where that cannot be, a page shows what is new. */
async function register(): Promise<Reach> {
  const devices = await loadDevices();
  if (!devices) return "while_open";
  const subscribed = await subscribe(devices.public_key);
  if (!subscribed) return "no_service";
  const isKnown = !subscribed.isNew && devices.items.some(({ current }) => current);
  if (!isKnown) await callRow({ method: "POST", path: DEVICES, body: subscribed.subscription.toJSON() });
  return "always";
}

/** Null where the browser has no push service, cannot reach it, or keeps it from a private window. */
async function subscribe(key: string): Promise<{ subscription: PushSubscription; isNew: boolean } | null> {
  try {
    await navigator.serviceWorker.register("/sw.js");
    const { pushManager } = await navigator.serviceWorker.ready;
    const before = await pushManager.getSubscription();
    if (before && keyOf(before) === key) return { subscription: before, isNew: false };
    // Its push service refuses what is signed by another key, as after the server's secret was replaced.
    await before?.unsubscribe();
    return { subscription: await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }), isNew: true };
  } catch {
    return null;
  }
}

function keyOf({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Takes this browser from the server, where it is registered. */
async function unregister(): Promise<null> {
  const worker = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  const subscription = await (await worker?.getRegistration())?.pushManager?.getSubscription();
  if (!subscription) return null;
  const here = (await loadDevices())?.items.filter(({ current }) => current) ?? [];
  await Promise.all(here.map(({ id }) => callRow({ method: "DELETE", path: `${DEVICES}/${id}` })));
  await subscription.unsubscribe();
  return null;
}

async function listen(wanted: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { event, data } of follow(`${LIST}/events`, "", signal)) {
        if (event === "notification" && document.visibilityState === "hidden") await show(JSON.parse(data) as Notice, wanted);
      }
    } catch {
      await pause(REFUSED_MS, signal);
    }
  }
}

/** Shows one notification; the same from several windows, or pushed too, is one by its tag. */
async function show({ id, kind, text, link }: Notice, wanted: ReadonlySet<string>): Promise<void> {
  if (!wanted.has(kind) || Notification.permission !== "granted") return;
  const worker = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  const registration = await worker?.getRegistration();
  // Phones show what a worker shows, and nothing else.
  if (registration?.active) return registration.showNotification(text, { tag: id, data: { link }, icon: "/icon-192.png" });
  const shown = new Notification(text, { tag: id });
  shown.onclick = () => {
    window.focus();
    location.assign(link);
  };
}
