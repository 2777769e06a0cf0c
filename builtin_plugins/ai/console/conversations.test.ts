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
  const answering = async (count: number) => {
    await vi.waitFor(() => expect(answers).toHaveLength(count));
    answers.forEach((answer) => answer());
  };
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
      constructor(readonly path: string, { body }: { body?: string }) {
        this.prompt = body && JSON.parse(body).prompt;
        this.url = `http://127.0.0.1${path}`;
      }
      prompt: string | undefined;
      url: string;
    });
    // A turn is a job of the name of its prompt, which can be followed once the test lets it answer.
    vi.stubGlobal("fetch", async ({ prompt, path }: { prompt?: string; path: string }) => {
      if (prompt) return new Response(JSON.stringify({ id: prompt }), { status: 202 });
      await new Promise<void>((resolve) => answers.push(resolve));
      const events = `id: 1\nevent: delta\ndata: {"text":"to ${path.split("/")[3]}"}\n\nid: 2\nevent: done\ndata: {}\n\n`;
      return new Response(events);
    });
  });

  it.each([true, false])("keeps what was asked and answered in both, whether they hear of one another in time: %s", async (isHeard) => {
    const [one, other] = [new ConversationStore("bert"), new ConversationStore("bert")];
    const tell = (to: number) => isHeard && tabs[to]?.({ key: KEY, newValue: localStorage.getItem(KEY) });
    one.ask("1", question("first"));
    tell(1);
    other.ask("1", question("second"));
    tell(0);
    await answering(2);
    await settle();
    expect(stored()).toEqual([
      ["first", [{ kind: "text", text: "to first" }], "done"],
      ["second", [{ kind: "text", text: "to second" }], "done"],
    ]);
  });

  it("takes back one's own question and no other", async () => {
    const [one, other] = [new ConversationStore("bert"), new ConversationStore("bert")];
    one.ask("1", question("first"));
    await answering(1);
    await settle();
    other.ask("1", question("second"));
    expect(one.takeBack("1")?.prompt).toBe("first");
    expect(stored().map(([prompt]) => prompt)).toEqual(["second"]);
  });

  it("takes an answer up that a page before had asked for", async () => {
    const turn = { ...question("first"), id: "t", at: "2026-01-01T00:00:00Z", parts: [{ kind: "text" as const, text: "to" }], state: "answering" as const, job: "first" };
    localStorage.setItem(KEY, JSON.stringify({ ...conversation("1", "Plans"), turns: [turn] }));
    new ConversationStore("bert");
    await answering(1);
    await settle();
    expect(stored()).toEqual([["first", [{ kind: "text", text: "to first" }], "done"]]);
  });
});
