import { describe, expect, it } from "vitest";

import { beginningOf, creationIn, encodeDraft, isSameTyped } from "./noteDraft";
import { changedFields, EMPTY, joinFields, type Fields, type Note, type Version } from "./version";

const fields = (change: Partial<Fields> = {}): Fields => ({ title: "Minutes", body: "one", visibility: "private", ...change });
const version = (etag: string, change: Partial<Fields> = {}): Version => ({ etag, note: { id: "note_1", ...fields(change) } as Note });
const draft = (mine: Fields, base: Version | null) => ({ text: encodeDraft(mine, base), base: base?.etag ?? null, at: 7 });

describe("beginningOf", () => {
  it("begins with what is saved where nothing was left behind, or the same", () => {
    const saved = version("a");
    expect(beginningOf(saved, null, EMPTY)).toEqual({ mine: fields(), base: saved, draftedAt: null });
    expect(beginningOf(saved, draft(fields(), saved), EMPTY).draftedAt).toBeNull();
    expect(beginningOf(saved, { text: "not a draft", base: "a", at: 7 }, EMPTY).mine).toEqual(fields());
  });

  it("goes on with a draft, over what it was typed over", () => {
    const before = version("a");
    const mine = fields({ body: "one and more" });
    const begun = beginningOf(version("b", { body: "ONE" }), draft(mine, before), EMPTY);
    expect(begun.mine).toEqual(mine);
    expect(begun.base).toMatchObject({ etag: "a", note: { body: "one" } });
    expect(begun.draftedAt).toBe(7);
  });

  it("goes on with a note that never was saved", () => {
    const mine = fields({ title: "New" });
    expect(beginningOf(null, draft(mine, null), EMPTY)).toEqual({ mine, base: null, draftedAt: 7 });
  });
});

describe("isSameTyped", () => {
  it("looks at what somebody typed, and not at what waits for its answer", () => {
    const sent = { key: "one", fields: fields(), at: 1_000 };
    expect(isSameTyped(encodeDraft(fields(), null, sent), encodeDraft(fields(), null))).toBe(true);
    expect(isSameTyped(encodeDraft(fields(), null), encodeDraft(fields({ title: "Another" }), null))).toBe(false);
    expect(isSameTyped("not a draft", encodeDraft(fields(), null))).toBe(false);
  });
});

describe("creationIn", () => {
  const sent = { key: "one", fields: fields({ body: "as it was sent" }), at: 1_000 };
  const left = { text: encodeDraft(fields({ body: "and typed on" }), null, sent), base: null, at: 7 };

  it("sends again what nobody answered, as it was and under its key, also after the note was left", () => {
    expect(creationIn(left, 2_000)).toEqual(sent);
    expect(beginningOf(null, left, EMPTY).mine.body).toBe("and typed on");
  });

  it("begins anew where nothing was sent, where the server has forgotten it, and where no draft is left", () => {
    const begun = draft(fields(), null);
    const broken = { ...left, text: JSON.stringify({ mine: fields(), base: null, creation: { key: 1 } }) };
    expect([begun, broken, null].map((one) => creationIn(one, 2_000))).toEqual([null, null, null]);
    expect(creationIn(left, sent.at + 24 * 3_600_000)).toBeNull();
  });
});

describe("fields", () => {
  it("sends what was changed and nothing else", () => {
    expect(changedFields(fields(), fields({ title: "May" }))).toEqual({ title: "May" });
  });

  it("joins what only one side changed", () => {
    const joined = joinFields(fields(), fields({ visibility: "team" }), fields({ title: "May" }), "both");
    expect(joined).toEqual({ title: "May", visibility: "team", body: "both" });
  });
});
