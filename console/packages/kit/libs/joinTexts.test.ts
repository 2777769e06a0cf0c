import { describe, expect, it } from "vitest";

import { firstMark, joinTexts, resumeJoin } from "./joinTexts";

const names = { mine: "Mine", theirs: "Theirs" };
const text = (...lines: string[]) => lines.join("\n");

describe("joinTexts", () => {
  const base = text("one", "two", "three", "four", "five");

  it("takes what only one side changed", () => {
    const joined = joinTexts(base, text("ONE", "two", "three", "four", "five"), text("one", "two", "three", "four", "FIVE", "six"), names);
    expect(joined).toEqual({ text: text("ONE", "two", "three", "four", "FIVE", "six"), conflicts: 0 });
  });

  it("takes what both changed alike once", () => {
    const both = text("one", "zwei", "three", "four", "five");
    expect(joinTexts(base, both, text(both, "six"), names)).toEqual({ text: text(both, "six"), conflicts: 0 });
  });

  it("marks the lines that both changed, and leaves the rest", () => {
    const joined = joinTexts(base, text("one", "mine", "three", "four", "five"), text("one", "theirs", "three", "four", "FIVE"), names);
    expect(joined).toEqual({
      text: text("one", "<<<<<<< Mine", "mine", "=======", "theirs", ">>>>>>> Theirs", "three", "four", "FIVE"),
      conflicts: 1,
    });
    expect(firstMark(joined.text)).toBe(2);
    expect(firstMark(text("# Title", "", "a = b"))).toBeNull();
  });

  it("joins changes of neighbouring lines", () => {
    const joined = joinTexts(base, text("one", "TWO", "three", "four", "five"), text("one", "two", "THREE", "four", "five"), names);
    expect(joined).toEqual({ text: text("one", "TWO", "THREE", "four", "five"), conflicts: 0 });
  });

  it("marks two additions at one place, and a deletion of what the other changed", () => {
    expect(joinTexts(base, text(base, "mine"), text(base, "theirs"), names).conflicts).toBe(1);
    expect(joinTexts(base, text("one", "four", "five"), text("one", "two", "THREE", "four", "five"), names).conflicts).toBe(1);
  });

  it("joins a change that spans several of the other side's", () => {
    const joined = joinTexts(base, text("A", "B", "C", "D", "five"), text("1", "two", "three", "4", "five", "six"), names);
    expect(joined.conflicts).toBe(1);
    expect(joined.text.endsWith(text(">>>>>>> Theirs", "five", "six"))).toBe(true);
  });

  it("does without what both began with", () => {
    const joined = joinTexts(null, text("a", "mine", "c"), text("a", "c", "theirs"), names);
    expect(joined).toEqual({ text: text("a", "mine", "c", "theirs"), conflicts: 0 });
  });

  it("loses no line of either side, whatever was changed", () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 16807) % 2147483647) % below;
    const changed = (lines: string[], mark: string) =>
      lines.flatMap((line, index) => (random(4) ? [line] : [[], [`${mark}${index}`], [line, `${mark}${index}`]][random(3)]!));
    for (let round = 0; round < 200; round += 1) {
      const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`);
      const [mine, theirs] = [changed(lines, "m"), changed(lines, "t")];
      const joined = new Set(joinTexts(lines.join("\n"), mine.join("\n"), theirs.join("\n"), names).text.split("\n"));
      for (const line of [...mine, ...theirs]) if (!line.startsWith("line")) expect(joined).toContain(line);
    }
  });
});

describe("resumeJoin", () => {
  const begun = { text: text("one", "<<<<<<< Mine", "by hand", "=======", "theirs", ">>>>>>> Theirs", "three"), theirs: text("one", "theirs", "three") };

  it("goes on where it was left", () => expect(resumeJoin(begun, begun.theirs, names)).toEqual({ text: begun.text, conflicts: 1 }));

  it("joins what they changed since into what was decided", () => {
    const decided = { ...begun, text: text("one", "by hand", "three") };
    expect(resumeJoin(decided, text("ONE", "theirs", "three"), names)).toEqual({ text: text("ONE", "by hand", "three"), conflicts: 0 });
    expect(resumeJoin(decided, text("one", "again", "three"), names).conflicts).toBe(1);
  });
});
