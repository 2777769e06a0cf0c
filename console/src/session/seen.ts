/** What this device keeps for when the server is away: `sw.js` has it, and forgets it with the session. */

import type { QueryClient } from "@tanstack/react-query";

import { sessions } from "@guildhall/console/session/store";

// Absent where the page did not come by https.
const worker = navigator.serviceWorker as ServiceWorkerContainer | undefined;

/** Begins to keep what is seen; what the page has loaded already is asked for once more, the first time. */
export async function beginSeen(client: QueryClient): Promise<void> {
  if (!worker) return;
  if (!worker.controller) worker.addEventListener("controllerchange", () => void client.invalidateQueries(), { once: true });
  await worker.register("/sw.js");
  const { active } = await worker.ready;
  active?.postMessage({ keep: performance.getEntriesByType("resource").map(({ name }) => name) });
}

/** Throws away what was seen whenever nobody is signed in here. */
export function forgetSeen(): void {
  const forget = async () => {
    worker?.controller?.postMessage("forget");
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name.startsWith("guildhall.seen.")).map((name) => caches.delete(name)));
  };
  const look = () => void (!sessions.current && worker && forget().catch(() => undefined));
  sessions.subscribe(look);
  look();
}
