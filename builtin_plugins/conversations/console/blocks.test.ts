import { describe, expect, it } from "vitest";

import { BlockSplitter, sectionsOf } from "./blocks";

const texts = (text: string) => sectionsOf(text).flat().map((block) => block.text);

describe("BlockSplitter", () => {
  it("closes a block at a blank line, a heading and a fence", () =>
    expect(texts("one\ntwo\n\n# three\nfour\n```js\na\n\nb\n```\nfive")).toEqual([
      "one\ntwo\n",
      "# three\n",
      "four\n",
      "```js\na\n\nb\n```\n",
      "five",
    ]));

  it("keeps a list with blank lines and code between its items whole", () => {
    const list = "1. one\n\n   more\n\n   ```\n   a\n\n   b\n   ```\n\n2. two\n\n";
    expect(texts(`${list}after`)).toEqual([list, "after"]);
  });

  it("gives the same blocks however the answer is cut into pieces", () => {
    const text = "# head\n\npara *one*\n\n- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n~~~\n```\n~~~\nend";
    const splitter = new BlockSplitter();
    for (const character of text) splitter.push(character);
    splitter.end();
    expect(splitter.sections.flat()).toEqual(sectionsOf(text).flat());
  });

  it("has no block that grows without end, and loses nothing", () => {
    const samples = ["word ".repeat(20_000), "x".repeat(100_000), "a line\n".repeat(20_000), "😀".repeat(50_000)];
    for (const sample of samples) {
      expect(Math.max(...texts(sample).map((text) => text.length))).toBeLessThanOrEqual(5_000);
      expect(texts(sample).join("")).toBe(sample);
    }
    expect(texts("😀".repeat(50_000)).every((text) => /^(?:😀)+$/u.test(text))).toBe(true);
  });

  it("goes on with long code in a fence, a long table under its head, a long list with its number", () => {
    const code = sectionsOf("```py\n" + "print(1)\n".repeat(2_000) + "```\n").flat();
    expect(code.every(({ text }) => text.startsWith("```py\n") && text.trimEnd().endsWith("```"))).toBe(true);
    expect(code.map(({ continues }) => continues)).toEqual(code.map((_, index) => index > 0));
    const table = texts("| a | b |\n|---|---|\n" + "| 1 | 2 |\n".repeat(2_000));
    expect(table.every((text) => text.startsWith("| a | b |\n|---|---|\n"))).toBe(true);
    const list = texts(Array.from({ length: 2_000 }, (_, index) => `${index + 1}. item\n`).join(""));
    expect(list.length).toBeGreaterThan(2);
    expect(list.every((text) => /^\d+\. item\n/.test(text))).toBe(true);
  });

  it("never changes a section that it gave out, and shows the growing block", () => {
    const splitter = new BlockSplitter();
    splitter.push("one\n\ntw");
    const [first] = splitter.sections;
    expect(splitter.open.text).toBe("tw");
    splitter.push("o\n\nthree");
    expect(first).toHaveLength(1);
    expect(splitter.sections[0]).toHaveLength(2);
  });

  it("cuts a list whose items all stand inside one, and goes on with them", () => {
    const inner = Array.from({ length: 5_000 }, (_, at) => `    - item ${at}\n      with more\n`).join("");
    const blocks = sectionsOf(`- one\n${inner}- two\n\nAfter it.`).flat();
    expect(blocks.length).toBeGreaterThan(40);
    expect(Math.max(...blocks.map(({ text }) => text.length))).toBeLessThanOrEqual(4_100);
    expect(blocks[1]!.text).toMatch(/^- item \d+\n  with more\n- item/);
    expect(blocks.map(({ text }) => text).join("").match(/item \d+/g)).toHaveLength(5_000);
    expect(blocks.at(-1)!.text).toBe("After it.");
  });

  it("cuts code that never ends behind whole lines, and draws no empty block after it", () => {
    const code = texts("```py\n" + "code\n".repeat(600) + "w".repeat(10_000));
    expect(code.filter((text) => /[^\n]```/.test(text))).toEqual([]);
    expect(code.join("").match(/w/g)).toHaveLength(10_000);
    expect(texts("```py\n" + "code\n".repeat(401)).every((text) => text.includes("code"))).toBe(true);
  });
});
