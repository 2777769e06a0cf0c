import { beforeEach, describe, expect, it, vi } from "vitest";

import source from "../../public/sw.js?raw";

const ORIGIN = "https://hall.example";

interface Happening {
  waitUntil: (work: Promise<unknown>) => void;
  [detail: string]: unknown;
}

/** The worker in a browser of the test's own: what it shows, what it opens, and what it is told. */
function start(...windows: { url: string; frameType: string }[]) {
  const handlers = new Map<string, (event: Happening) => void>();
  const there = windows.map((one) => ({ ...one, focus: vi.fn(), navigate: vi.fn() }));
  for (const one of there) one.focus.mockResolvedValue(one);
  const unsubscribe = vi.fn();
  const scope = {
    addEventListener: (name: string, handler: (event: Happening) => void) => handlers.set(name, handler),
    registration: { showNotification: vi.fn(), pushManager: { getSubscription: async () => ({ unsubscribe }) } },
    clients: { matchAll: async () => there, openWindow: vi.fn() },
  };
  const caches = { keys: async () => [], delete: vi.fn() };
  new Function("self", "location", "caches", source)(scope, { origin: ORIGIN }, caches);
  async function happen(name: string, detail: Record<string, unknown>): Promise<void> {
    const works: Promise<unknown>[] = [];
    handlers.get(name)!({ ...detail, waitUntil: (work) => works.push(work) });
    await Promise.all(works);
  }
  return { scope, there, unsubscribe, happen };
}

describe("what is pushed", () => {
  it("is shown with its text, once by its id, and knows where it leads", async () => {
    const { scope, happen } = start();
    await happen("push", { data: { json: () => ({ id: "ntf_1", text: "Ada shared a note.", link: "/notes/note_1" }) } });
    expect(scope.registration.showNotification.mock.calls).toEqual([["Ada shared a note.", expect.objectContaining({ tag: "ntf_1", data: { link: "/notes/note_1" } })]]);
  });

  it("is nothing without a text", async () => {
    const { scope, happen } = start();
    await happen("push", { data: null });
    expect(scope.registration.showNotification).not.toHaveBeenCalled();
  });
});

describe("a click on a notification", () => {
  const close = vi.fn();
  const clicked = (link?: string) => ({ notification: { close, data: { link } } });
  beforeEach(() => close.mockClear());

  it("leads there in a window of the console, and leaves what is none of it", async () => {
    const { scope, there, happen } = start(
      { url: `${ORIGIN}/docs/notes`, frameType: "top-level" },
      { url: `${ORIGIN}/home`, frameType: "nested" },
      { url: `${ORIGIN}/home`, frameType: "top-level" },
    );
    await happen("notificationclick", clicked("/notes/note_1"));
    expect(there.map(({ navigate }) => navigate.mock.calls)).toEqual([[], [], [[`${ORIGIN}/notes/note_1`]]]);
    expect(there[2]!.focus).toHaveBeenCalledOnce();
    expect(scope.clients.openWindow).not.toHaveBeenCalled();
    expect(close).toHaveBeenCalledOnce();
  });

  it("opens a window where there is none", async () => {
    const { scope, happen } = start({ url: `${ORIGIN}/docs/notes`, frameType: "top-level" });
    await happen("notificationclick", clicked("/notes/note_1"));
    await happen("notificationclick", clicked());
    expect(scope.clients.openWindow.mock.calls).toEqual([[`${ORIGIN}/notes/note_1`], [`${ORIGIN}/inbox`]]);
  });

  it.each(["https://elsewhere.example/notes", "//elsewhere.example/notes", "javascript:alert(1)"])("leads nowhere else: %s", async (link) => {
    const { scope, there, happen } = start({ url: `${ORIGIN}/home`, frameType: "top-level" });
    await happen("notificationclick", clicked(link));
    expect(scope.clients.openWindow).not.toHaveBeenCalled();
    expect(there[0]!.navigate).not.toHaveBeenCalled();
  });
});

it("ends with the session: nobody is told anything where nobody is signed in", async () => {
  const { unsubscribe, happen } = start();
  await happen("message", { data: "forget" });
  expect(unsubscribe).toHaveBeenCalledOnce();
});
