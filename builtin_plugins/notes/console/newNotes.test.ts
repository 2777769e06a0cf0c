import { beforeEach, describe, expect, it, vi } from "vitest";

import { writeDraft } from "@guildhall/console/drafts/store";
import { beginNew, isNew, keptAs, unfinishedNotes } from "./newNotes";
import { encodeDraft } from "./noteDraft";
import { EMPTY } from "./version";

class Device {
  setItem(key: string, value: string) {
    (this as unknown as Record<string, string>)[key] = value;
  }
  getItem(key: string) {
    return (this as unknown as Record<string, string>)[key] ?? null;
  }
}

const keep = (team: string, id: string, at: number, fields: Partial<typeof EMPTY>) =>
  writeDraft("anna", keptAs(team, id), { text: encodeDraft({ ...EMPTY, ...fields }, null), base: null, at });

beforeEach(() => vi.stubGlobal("localStorage", new Device()));

describe("unfinishedNotes", () => {
  it("lists each of a team, the latest first, by its title or how it begins", () => {
    keep("team_1", "new-a", 1, { title: "Minutes", body: "one" });
    keep("team_1", "new-b", 2, { body: "\nhow it begins\nand goes on" });
    keep("team_2", "new-c", 3, { title: "Elsewhere" });
    writeDraft("anna", "note.note_1", { text: encodeDraft({ ...EMPTY, title: "Saved before" }, null), base: '"1"', at: 4 });
    expect(unfinishedNotes("anna", "team_1").map(({ id, name }) => [id, name])).toEqual([
      ["new-b", "how it begins"],
      ["new-a", "Minutes"],
    ]);
    expect(unfinishedNotes("anna", "team_2").map(({ name }) => name)).toEqual(["Elsewhere"]);
    expect(unfinishedNotes("bert", "team_1")).toEqual([]);
  });

  it("names every new note otherwise", () => {
    const [one, other] = [beginNew(), beginNew()];
    expect(one).not.toBe(other);
    expect([one, "new", "note_1"].map(isNew)).toEqual([true, true, false]);
  });
});
