/** How programs are told of this hall; a token stands where a person puts theirs. */

const TOKEN = "gha_YOUR_TOKEN";

export interface Snippet {
  id: string;
  /** A key of the catalog. */
  name: string;
  /** Where it goes, as a key of the catalog. */
  where: string;
  text: string;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);
const headers = { Authorization: `Bearer ${TOKEN}` };

export const mcpAddress = (origin: string) => `${origin}/api/mcp/server`;

export function snippetsFor(origin: string): Snippet[] {
  const url = mcpAddress(origin);
  return [
    { id: "desktop", name: "connect.desktop", where: "connect.desktop_where", text: json({ mcpServers: { guildhall: { type: "http", url, headers } } }) },
    {
      id: "vscode",
      name: "connect.vscode",
      where: "connect.vscode_where",
      text: json({
        inputs: [{ type: "promptString", id: "guildhall-token", description: "Guildhall token", password: true }],
        servers: { guildhall: { type: "http", url, headers: { Authorization: "Bearer ${input:guildhall-token}" } } },
      }),
    },
    {
      id: "python",
      name: "connect.python",
      where: "connect.python_where",
      text: `import asyncio

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

HEADERS = {"Authorization": "Bearer ${TOKEN}"}


async def main() -> None:
    async with streamablehttp_client("${url}", headers=HEADERS) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            tools = await session.list_tools()
            print([tool.name for tool in tools.tools])


asyncio.run(main())
`,
    },
    { id: "curl", name: "connect.curl", where: "connect.curl_where", text: `curl -s ${origin}/api/notes -H "Authorization: Bearer ${TOKEN}"\n` },
  ];
}
