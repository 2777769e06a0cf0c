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
  vi.stubGlobal("addEventListener", () => undefined);
}

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
