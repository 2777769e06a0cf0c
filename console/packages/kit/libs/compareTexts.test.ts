import { describe, expect, it } from "vitest";

import { compareTexts, fold } from "./compareTexts";

describe("compareTexts", () => {
  it("finds no difference in the same text, whatever ends its lines", () => {
    expect(compareTexts("a\r\nb", "a\nb")).toMatchObject({ removed: 0, added: 0 });
  });

  it("marks the words of a line that was changed", () => {
    const { pairs } = compareTexts("the quick fox", "the slow fox");
    expect(pairs).toHaveLength(1);
    expect(pairs[0]?.before?.pieces.filter(({ isChanged }) => isChanged)).toEqual([{ text: "quick", isChanged: true }]);
    expect(pairs[0]?.after?.pieces.filter(({ isChanged }) => isChanged)).toEqual([{ text: "slow", isChanged: true }]);
  });

  it("gives back both texts, line by line with their numbers", () => {
    const [before, after] = ["a\nb\nc\nd", "a\nc\nx\ny\nd"];
    const { pairs } = compareTexts(before, after);
    for (const [side, whole] of [["before", before], ["after", after]] as const) {
      const lines = pairs.flatMap((pair) => pair[side] ?? []);
      expect(lines.map(({ pieces }) => pieces.map(({ text }) => text).join("")).join("\n")).toBe(whole);
      expect(lines.map(({ number }) => number)).toEqual(lines.map((_, index) => index + 1));
    }
  });

  it("is done in time with long texts that share nothing", () => {
    const lines = (mark: string) => Array.from({ length: 20_000 }, (_, index) => `${mark}${index}`).join("\n");
    const began = performance.now();
    const compared = compareTexts(lines("a"), lines("b"));
    expect(performance.now() - began).toBeLessThan(4_000);
    expect(compared.removed).toBe(20_000);
  });

  it("folds what is far from any change", () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    const { pairs } = compareTexts(lines.join("\n"), lines.with(15, "other").join("\n"));
    expect(fold(pairs).map(({ isFolded, pairs: folded }) => [isFolded, folded.length])).toEqual([
      [true, 12],
      [false, 7],
      [true, 11],
    ]);
  });
});
