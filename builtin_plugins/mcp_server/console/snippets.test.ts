import { expect, it } from "vitest";

import { snippetsFor } from "./snippets";

it("tells programs of this hall, with no token but a place for one", () => {
  const snippets = snippetsFor("https://hall.example");
  for (const { text } of snippets) expect(text).toContain("https://hall.example/api/");
  const [desktop, vscode] = snippets;
  expect(JSON.parse(desktop!.text)).toEqual({
    mcpServers: { guildhall: { type: "http", url: "https://hall.example/api/mcp/server", headers: { Authorization: "Bearer gha_YOUR_TOKEN" } } },
  });
  expect(JSON.parse(vscode!.text)).toMatchObject({ servers: { guildhall: { type: "http" } } });
});
