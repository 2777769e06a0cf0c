import { describe, expect, it } from "vitest";

import { branchOf, faultyAttachment, NO_SETTINGS, partsOf, requestOf, turnsOf, type Message, type Question, type ServerTool } from "./conversation";
import { deviceConversations } from "./deviceStorage";

const message = (id: string, parent: string | null, more: Partial<Message> = {}): Message => ({
  id,
  parent_id: parent,
  role: "user",
  parts: [{ type: "text", text: id }],
  model: null,
  usage: null,
  tools: [],
  citations: [],
  state: "done",
  error: null,
  reasoning: null,
  finish_reason: null,
  asked: {},
  author: { id: "usr_1", name: "Ada" },
  siblings: [id],
  created_at: "2026-01-01T00:00:00Z",
  ...more,
});
const tool = (name: string, after: number): ServerTool => ({ name, arguments: {}, result: null, state: "done", after });
const question: Question = { prompt: "Who?", attachments: [], tools: "none", model: null, sources: null, settings: NO_SETTINGS };

describe("turnsOf", () => {
  it("pairs questions with their answers along one branch", () => {
    const all = [message("q1", null), message("a1", "q1", { role: "assistant", asked: { tools: "auto", model: "quick" } }), message("q2", "a1"), message("a2", "q1", { role: "assistant" })];
    const known = new Map(all.map((one) => [one.id, one]));
    const turns = turnsOf(branchOf(known, "q2"), "Be brief.");
    expect(turns.map(({ id, questionId, prompt }) => [id, questionId, prompt])).toEqual([
      ["a1", "q1", "q1"],
      ["q2", "q2", "q2"],
    ]);
    expect([turns[0]?.tools, turns[0]?.model, turns[0]?.settings.system]).toEqual(["any", "quick", "Be brief."]);
  });

  it("keeps why an answer failed, with when to try again", () => {
    const failed = message("a1", "q1", { role: "assistant", state: "failed", error: { code: "quota_exceeded", message: "No more.", status: 429, retry_after: 9 } });
    const [turn] = turnsOf([message("q1", null), failed], null);
    expect([turn?.state, turn?.problem?.body.detail, turn?.problem?.body.status, turn?.problem?.retryAfter]).toEqual(["failed", "No more.", 429, 9]);
  });
});

describe("partsOf", () => {
  it("puts tools between the words that stood around them", () => {
    const parts = [
      { type: "text" as const, text: "Let me see." },
      { type: "text" as const, text: "There." },
    ];
    const shown = partsOf({ id: "m", parts, tools: [tool("one", 1), tool("two", 1)] });
    expect(shown.map((part) => (part.kind === "text" ? part.text : part.step.tool))).toEqual(["Let me see.", "one", "two", "There."]);
  });
});

describe("requestOf", () => {
  it("puts documents before the words, and names the one at fault", () => {
    const asked = { ...question, attachments: [{ id: "obj_1", name: "one.md" }, { id: "obj_2", name: "two.md" }] };
    expect(requestOf(asked)).toEqual({
      prompt: [
        { type: "object", object_id: "obj_1", name: "one.md" },
        { type: "object", object_id: "obj_2", name: "two.md" },
        { type: "text", text: "Who?" },
      ],
    });
    const [turn] = turnsOf([message("q", null)], null);
    expect(faultyAttachment({ ...turn!, attachments: asked.attachments }, "/prompt/1/object_id")?.name).toBe("two.md");
  });

  it("asks as the settings say, and with tools as the model likes", () => {
    const settings = { system: "Be brief.", temperature: 0, format: "json" as const, schema: '{"type": "object"}' };
    const layout = { type: "json_schema", json_schema: { name: "answer", schema: { type: "object" } } };
    expect(requestOf({ ...question, settings }, null)).toEqual({ prompt: "Who?", parent_id: null, temperature: 0, response_format: layout });
    expect(requestOf({ ...question, settings, tools: "any", sources: "workspace", model: "executor:far" })).toEqual({ prompt: "Who?", sources: "workspace", tools: "auto", executor: "far" });
    const sources = [{ type: "folder", at: "reports/" }, { type: "note", at: "not_1" }] as const;
    expect(requestOf({ ...question, sources })).toEqual({ prompt: "Who?", sources: [{ type: "folder", key: "reports/" }, { type: "note", id: "not_1" }] });
  });
});

describe("deviceConversations", () => {
  it("reads what an earlier version kept of somebody, and nothing else", () => {
    const turns = [{ prompt: "One?", parts: [{ kind: "text", text: "One." }] }, { prompt: "Two?", parts: [] }];
    const kept = new Map([
      ["guildhall.chat.usr.team.a", JSON.stringify({ id: "a", title: "Numbers", turns })],
      ["guildhall.chat.usr.team.b", "{broken"],
      ["guildhall.chat.other.team.c", JSON.stringify({ id: "c", title: "Theirs", turns })],
    ]);
    const storage = { length: kept.size, key: (at: number) => [...kept.keys()][at] ?? null, getItem: (key: string) => kept.get(key) ?? null };
    const messages = [
      { role: "user", text: "One?" },
      { role: "assistant", text: "One." },
      { role: "user", text: "Two?" },
    ];
    expect(deviceConversations("usr.team", storage)).toEqual([{ key: "guildhall.chat.usr.team.a", title: "Numbers", messages }]);
  });
});
