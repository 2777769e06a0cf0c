/*
 * For when the server is away: the console's own files, and what somebody has seen, to be read and not changed.
 * What was seen is kept apart for each session, and thrown away when one ends.
 */
const FILES = "guildhall.files";
const SEEN = "guildhall.seen.";
const MAX_FILES = 400;
const MAX_SEEN = 300;
const MAX_BYTES = 500_000;
/** Whether a file is another whenever its content is, so that it is never asked for again. */
const LASTING = /^\/(assets\/|ui\/[^/]+\/[0-9a-f]{32}\/)/;
const OTHERS = /^\/(api|docs|frame|ui|v1|scim|oauth|hooks|s3)(\/|$)/;
const LOOSE = new Set(["/theme.css", "/first-look.css", "/favicon.svg", "/drawings.svg", "/manifest.webmanifest"]);
/** Tells the page that the server did not answer. */
const MARK = "x-seen-before";

/** Another figure once somebody is gone: what was asked for before is not kept any more. */
let generation = 0;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("message", (event) => {
  if (event.data === "forget") {
    generation += 1;
    event.waitUntil(Promise.all([forget(), unsubscribe()]));
  } else if (Array.isArray(event.data?.keep)) event.waitUntil(keepAll(event.data.keep));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || request.headers.has("range")) return;
  if (request.mode === "navigate") {
    if (!OTHERS.test(pathname)) event.respondWith(page(request));
  } else if (LASTING.test(pathname)) event.respondWith(lasting(request));
  else if (LOOSE.has(pathname)) event.respondWith(newest(request));
  else if (pathname.startsWith("/api/") && request.headers.has("authorization") && !request.headers.get("accept")?.includes("event-stream")) {
    event.respondWith(answer(request));
  }
});

/** A notification from the server, who takes this browser for somebody's; one that a page shows too is one. */
self.addEventListener("push", (event) => {
  const { id, text, link } = event.data?.json() ?? {};
  if (text) event.waitUntil(self.registration.showNotification(text, { tag: id, data: { link }, icon: "/icon-192.png" }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.link));
});

/** Opens a path of the console, in a window of it where there is one: what else this server shows stays as it is. */
async function open(link) {
  const { origin, href } = new URL(link ?? "/inbox", location.origin);
  if (origin !== location.origin) return;
  const windows = await self.clients.matchAll({ type: "window" });
  const [there] = windows.filter(({ frameType, url }) => frameType === "top-level" && !OTHERS.test(new URL(url).pathname));
  if (there) await (await there.focus()).navigate(href);
  else await self.clients.openWindow(href);
}

/** Where nobody is signed in nobody is told anything. */
async function unsubscribe() {
  await (await self.registration.pushManager?.getSubscription())?.unsubscribe();
}

async function forget() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(SEEN)).map((name) => caches.delete(name)));
}

/** What the page has loaded already, before anybody listened here. */
async function keepAll(addresses) {
  const files = await caches.open(FILES);
  const wanted = addresses.filter((address) => {
    const { origin, pathname } = new URL(address);
    return origin === location.origin && (LASTING.test(pathname) || LOOSE.has(pathname));
  });
  await Promise.all(wanted.map(async (address) => (await files.match(address)) ?? files.add(address).catch(() => undefined)));
  await page(new Request("/home")).catch(() => undefined);
}

/** The console's page, which is the same at every address. */
async function page(request) {
  const files = await caches.open(FILES);
  try {
    const response = await fetch(request);
    // Where the sign-up page stands at the root, that is none of it.
    const isText = response.ok && response.headers.get("content-type")?.startsWith("text/html");
    if (isText && (await response.clone().text()).includes('class="first-look"')) await files.put("/home", response.clone());
    return response;
  } catch (cause) {
    const held = await files.match("/home");
    if (held) return held;
    throw cause;
  }
}

async function lasting(request) {
  const files = await caches.open(FILES);
  const held = await files.match(request);
  if (held) return held;
  const response = await fetch(request);
  if (response.ok) {
    await files.put(request, response.clone());
    await trim(files, MAX_FILES);
  }
  return response;
}

async function newest(request) {
  const files = await caches.open(FILES);
  try {
    const response = await fetch(request);
    if (response.ok) await files.put(request, response.clone());
    return response;
  } catch (cause) {
    const held = await files.match(request);
    if (held) return held;
    throw cause;
  }
}

/** An answer of the API: of the server, and where that is away the last one that this session had. */
async function answer(request) {
  const asked = generation;
  let response;
  try {
    response = await fetch(request);
  } catch (cause) {
    const held = await (await caches.open(await seenBy(request))).match(request.url);
    if (!held) throw cause;
    const headers = new Headers(held.headers);
    headers.set(MARK, "1");
    return new Response(held.body, { status: held.status, headers });
  }
  const isText = response.headers.get("content-type")?.startsWith("application/json");
  if (response.ok && isText && Number(response.headers.get("content-length") ?? 0) <= MAX_BYTES) {
    const copy = response.clone();
    void keep(request, copy, asked).catch(() => undefined);
  }
  return response;
}

async function keep(request, response, asked) {
  const name = await seenBy(request);
  const body = await response.arrayBuffer();
  if (asked !== generation || body.byteLength > MAX_BYTES) return;
  const seen = await caches.open(name);
  await seen.put(request.url, new Response(body, { headers: { "content-type": "application/json" } }));
  await trim(seen, MAX_SEEN);
  // Somebody may have left between two of these steps.
  if (asked !== generation) await caches.delete(name);
}

async function seenBy(request) {
  const bytes = new TextEncoder().encode(request.headers.get("authorization"));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return SEEN + [...digest.slice(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function trim(cache, max) {
  const held = await cache.keys();
  await Promise.all(held.slice(0, Math.max(0, held.length - max)).map((request) => cache.delete(request)));
}
