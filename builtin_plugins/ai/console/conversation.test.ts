import { describe, expect, it } from "vitest";

import { faultyAttachment, historyBefore, requestOf, titleOf, type Part, type Turn } from "./conversation";

const turn = (id: string, prompt: string, ...parts: Part[]): Turn => ({
  id,
  at: "2026-01-01T00:00:00Z",
  prompt,
  attachments: [],
  tools: "none",
  executor: null,
  parts,
  state: "done",
});
const text = (said: string): Part => ({ kind: "text", text: said });

describe("titleOf", () => {
  it("is the first line, whole or shortened", () => {
    expect(titleOf("  What is\ta guild?\nTell me all.")).toBe("What is a guild?");
    expect([...titleOf("😀".repeat(90))]).toHaveLength(60);
  });
});

describe("historyBefore", () => {
  it("gives what was answered before, oldest first", () => {
    const step: Part = { kind: "step", step: { tool: "shout", arguments: {} } };
    const turns = [turn("a", "one", text("1")), turn("b", "failed"), turn("c", "two", text("aside"), step, text("2")), turn("d", "now")];
    expect(historyBefore(turns, "d")).toEqual({
      history: [
        { role: "user", text: "one" },
        { role: "assistant", text: "1" },
        { role: "user", text: "two" },
        { role: "assistant", text: "2" },
      ],
      leftOut: 0,
    });
  });

  it("leaves the oldest out where there is no room, and says how many", () => {
    const turns = [turn("a", "old", text("x".repeat(40_000))), turn("b", "new", text("y".repeat(40_000))), turn("c", "now")];
    const { history, leftOut } = historyBefore(turns, "c");
    expect([history.length, history[0]?.text, leftOut]).toEqual([2, "new", 1]);
  });
});

describe("requestOf", () => {
  it("puts documents before the words, and names the one at fault", () => {
    const asked = { ...turn("a", "Who?"), attachments: [{ id: "obj_1", name: "one.md" }, { id: "obj_2", name: "two.md" }] };
    expect(requestOf(asked, [], 100)).toEqual({
      prompt: [
        { type: "object", object_id: "obj_1" },
        { type: "object", object_id: "obj_2" },
        { type: "text", text: "Who?" },
      ],
      max_tokens: 100,
    });
    expect(faultyAttachment(asked, "/prompt/1/object_id")?.name).toBe("two.md");
    expect(faultyAttachment(asked, "/prompt/2/text")).toBeUndefined();
  });

  it("asks as the settings say, and of tools for the instructions alone", () => {
    const settings = { system: "Be brief.", temperature: 0, format: "json" as const, schema: '{"type": "object"}' };
    const asked = { ...turn("a", "Who?"), settings };
    const layout = { type: "json_schema", json_schema: { name: "answer", schema: { type: "object" } } };
    expect(requestOf(asked, [], 100)).toEqual({ prompt: "Who?", max_tokens: 100, system: "Be brief.", temperature: 0, response_format: layout });
    expect(requestOf({ ...asked, tools: "any" }, [], 100)).toEqual({ prompt: "Who?", max_tokens: 100, system: "Be brief." });
    const unfinished = { ...asked, settings: { ...settings, system: " ", schema: "{" } };
    expect(requestOf(unfinished, [], 100)).toEqual({ prompt: "Who?", max_tokens: 100, temperature: 0, response_format: { type: "json_object" } });
  });
});
