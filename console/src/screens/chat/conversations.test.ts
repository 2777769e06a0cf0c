import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import type { Conversation } from "./conversation";

const ROOM = 10_000;

/** A device that keeps so many characters and no more. */
class SmallStorage {
  setItem(key: string, value: string) {
    const others = Object.entries(this as unknown as Record<string, string>).filter(([one]) => one !== key);
    if (others.reduce((sum, [, one]) => sum + one.length, value.length) > ROOM) throw new Error("full");
    (this as unknown as Record<string, string>)[key] = value;
  }
  getItem(key: string) {
    return (this as unknown as Record<string, string>)[key] ?? null;
  }
  removeItem(key: string) {
    delete (this as unknown as Record<string, string>)[key];
  }
}

const conversation = (id: string, words: string): Conversation => ({ id, title: words, at: `2026-01-0${id}`, turns: [] });
const kept = () => Object.keys(localStorage).map((key) => key.at(-1)).sort();

let ConversationStore: (typeof import("./conversations"))["ConversationStore"];

function stubDevice() {
  vi.stubGlobal("localStorage", new SmallStorage());
  vi.stubGlobal("sessionStorage", new SmallStorage());
  vi.stubGlobal("location", { origin: "http://127.0.0.1" });
  vi.stubGlobal("addEventListener", (type: string, listener: Listener) => type === "storage" && tabs.push(listener));
}

type Listener = (event: { key: string; newValue: string | null }) => void;
/** What each tab does when another writes something down. */
let tabs: Listener[] = [];

beforeAll(async () => {
  stubDevice();
  ({ ConversationStore } = await import("./conversations"));
}, 60_000);

beforeEach(() => {
  stubDevice();
  for (const id of ["1", "2", "3"]) localStorage.setItem(`guildhall.chat.anna.${id}`, JSON.stringify(conversation(id, "x".repeat(2_000))));
});

describe("ConversationStore on a device that is full", () => {
  it("lets the oldest make room", () => {
    const store = new ConversationStore("anna");
    store.rename("3", "x".repeat(7_000));
    expect([kept(), store.isKept]).toEqual([["2", "3"], true]);
  });

  it("gives up nothing for what is too long anyway", () => {
    const store = new ConversationStore("anna");
    store.rename("3", "x".repeat(20_000));
    expect([kept(), store.isKept]).toEqual([["1", "2", "3"], false]);
    expect(JSON.parse(localStorage.getItem("guildhall.chat.anna.1") ?? "").title).toHaveLength(2_000);
  });
});

describe("ConversationStore in two tabs of one browser", () => {
  const KEY = "guildhall.chat.bert.1";
  const question = (prompt: string) => ({ prompt, attachments: [], tools: "none" as const, executor: null });
  const stored = () => (JSON.parse(localStorage.getItem(KEY) ?? "") as Conversation).turns.map(({ prompt, parts, state }) => [prompt, parts, state]);
  const answers: (() => void)[] = [];
  const settle = () => vi.waitFor(() => expect(stored().filter(([, , state]) => state === "answering")).toEqual([]));

  beforeEach(() => {
    tabs = [];
    answers.length = 0;
    localStorage.setItem(KEY, JSON.stringify(conversation("1", "Plans")));
    vi.stubGlobal("requestAnimationFrame", () => 0);
    vi.stubGlobal("cancelAnimationFrame", () => undefined);
    vi.stubGlobal("Request", class {
      clone = () => this;
      headers = new Headers();
      signal = new AbortController().signal;
      constructor(readonly path: string, { body }: { body: string }) {
        this.body = JSON.parse(body).prompt;
      }
      body: string;
      url = "http://127.0.0.1/api/ai/chat/stream";
    });
    vi.stubGlobal("fetch", ({ body }: { body: string }) =>
      new Promise<Response>((resolve) => {
        const events = `event: delta\ndata: {"text":"to ${body}"}\n\nevent: done\ndata: {}\n\n`;
        answers.push(() => resolve(new Response(events)));
      }),
    );
  });

  it.each([true, false])("keeps what was asked and answered in both, whether they hear of one another in time: %s", async (isHeard) => {
    const [one, other] = [new ConversationStore("bert"), new ConversationStore("bert")];
    const tell = (to: number) => isHeard && tabs[to]?.({ key: KEY, newValue: localStorage.getItem(KEY) });
    one.ask("1", question("first"));
    tell(1);
    other.ask("1", question("second"));
    tell(0);
    answers.forEach((answer) => answer());
    await settle();
    expect(stored()).toEqual([
      ["first", [{ kind: "text", text: "to first" }], "done"],
      ["second", [{ kind: "text", text: "to second" }], "done"],
    ]);
  });

  it("takes back one's own question and no other", async () => {
    const [one, other] = [new ConversationStore("bert"), new ConversationStore("bert")];
    one.ask("1", question("first"));
    answers.forEach((answer) => answer());
    await settle();
    other.ask("1", question("second"));
    expect(one.takeBack("1")?.prompt).toBe("first");
    expect(stored().map(([prompt]) => prompt)).toEqual(["second"]);
  });
});
