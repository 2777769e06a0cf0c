import { describe, expect, it } from "vitest";

import { renderMarkdown } from "./renderMarkdown";

describe("renderMarkdown", () => {
  it("shows what looks like HTML as it was typed", () => {
    const html = renderMarkdown('<script>alert(1)</script>\n\na <b style="color:red">bold</b> word');
    expect(html).not.toMatch(/<script|<b |style="/);
    expect(html).toContain("&lt;script&gt;");
  });

  it("leaves the first heading to the screen", () => {
    expect(renderMarkdown("# Title")).toBe("<h2>Title</h2>\n");
  });

  it("gives up on what is nested too deep", () => {
    expect(renderMarkdown("> ".repeat(20_000))).toBeNull();
  });

  it.each(["[", "*a", "`", "![x](", "| a |\n", "_a_b", "<a ", "- [ ] a\n  "])("is done in time with %j over and over", (part) => {
    const began = performance.now();
    renderMarkdown(part.repeat(5_000 / part.length));
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});
