import { describe, expect, it } from "vitest";

import { artifactsOf, csvOf } from "./artifacts";

const TABLE = "| Ship | Fee |\n|---|---:|\n| Anna | 90 |\n| =cmd() | a \\| b, \"c\" |";

describe("artifacts of an answer", () => {
  it("are diagrams, pages, tables and programs that are long", () => {
    const program = Array.from({ length: 6 }, (_, at) => `x = ${at}`).join("\n");
    const text = `Look:\n\n\`\`\`mermaid\ngraph TD; A-->B\n\`\`\`\n\n${TABLE}\n\n~~~html\n<p>hi</p>\n~~~\n\n\`\`\`py\n${program}\n\`\`\`\n\n\`\`\`sh\nls\n\`\`\``;
    expect(artifactsOf(text).map(({ kind, language }) => [kind, language])).toEqual([
      ["diagram", "mermaid"],
      ["table", ""],
      ["page", "html"],
      ["code", "py"],
    ]);
    expect(artifactsOf(text)[1]!.text).toBe(TABLE);
  });
  it("are none before they are closed, and those within code are code", () => {
    expect(artifactsOf("```mermaid\ngraph TD")).toEqual([]);
    expect(artifactsOf("````md\n```mermaid\ngraph TD\n```\n````")).toEqual([]);
    expect(artifactsOf("a | b")).toEqual([]);
  });
  it("leave as CSV in which no cell is a formula", () => {
    expect(csvOf(TABLE)).toBe('Ship,Fee\r\nAnna,90\r\n\'=cmd(),"a | b, ""c"""');
  });
});
