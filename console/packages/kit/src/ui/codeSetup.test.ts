import { describe, expect, it } from "vitest";

import { hasEndlessLine } from "./codeSetup";

describe("hasEndlessLine", () => {
  it("finds what is nested without end", () => {
    expect(hasEndlessLine("a\n" + "> ".repeat(5_000))).toBe(true);
    expect(hasEndlessLine("- ".repeat(5_000))).toBe(true);
  });

  it("leaves long texts alone", () => {
    expect(hasEndlessLine("word ".repeat(50_000))).toBe(false);
    expect(hasEndlessLine("> a quote\n".repeat(5_000))).toBe(false);
  });
});
