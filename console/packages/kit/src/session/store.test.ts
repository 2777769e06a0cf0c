import { beforeEach, expect, it, vi } from "vitest";

/** Tabs of one browser: they share a disk, and each has a storage of its own. */
class MemoryStorage {
  private readonly values = new Map<string, string>();
  getItem = (key: string) => this.values.get(key) ?? null;
  setItem = (key: string, value: string) => void this.values.set(key, value);
  removeItem = (key: string) => void this.values.delete(key);
}

let disk: MemoryStorage;
beforeEach(() => {
  disk = new MemoryStorage();
});

async function openTab(own = new MemoryStorage()) {
  vi.resetModules();
  vi.stubGlobal("sessionStorage", own);
  vi.stubGlobal("localStorage", disk);
  const { SessionStore } = await import("./store");
  const begin = <Value>(act: () => Value): Value => {
    vi.stubGlobal("sessionStorage", own);
    return act();
  };
  return { store: new SessionStore(), own, begin };
}

const session = { token: "ghs_one", expiresAt: null, kept: false };

it("is there after a reload and gone with the tab", async () => {
  const tab = await openTab();
  tab.begin(() => tab.store.begin(session));
  expect((await openTab(tab.own)).store.current).toEqual(session);
  expect((await openTab()).store.current).toBeNull();
});

it("is on the disk only where that was chosen", async () => {
  const tab = await openTab();
  tab.begin(() => tab.store.begin({ ...session, kept: true }));
  expect((await openTab()).store.current?.token).toBe("ghs_one");
  tab.begin(() => tab.store.end());
  expect((await openTab()).store.current).toBeNull();
});

it("comes from another tab by asking, is renewed in both and ends in both", async () => {
  const first = await openTab();
  first.begin(() => first.store.begin(session));
  const second = await openTab();
  await second.store.askOtherTabs();
  expect(second.store.current?.token).toBe("ghs_one");
  const { generation } = second.store;
  first.begin(() => first.store.renew({ ...session, token: "ghs_two" }));
  await vi.waitFor(() => expect(second.store.current?.token).toBe("ghs_two"));
  expect(second.store.generation).toBe(generation);
  second.begin(() => second.store.end());
  await vi.waitFor(() => expect(first.store.current).toBeNull());
});

it("ends a session that another tab has in another team, too", async () => {
  const calls = vi.fn().mockResolvedValue(new Response(null, { status: 204 }));
  vi.stubGlobal("fetch", calls);
  const first = await openTab();
  first.begin(() => first.store.begin(session));
  const second = await openTab();
  await second.store.askOtherTabs();
  second.begin(() => second.store.begin({ ...session, token: "ghs_two", before: ["ghs_one"] }));
  first.begin(() => first.store.end());
  await vi.waitFor(() => expect(second.store.current).toBeNull());
  // What the other tab ended itself is not ended once more.
  expect(calls.mock.calls.map(([, { headers }]) => headers.Authorization)).toEqual(["Bearer ghs_two"]);
});
