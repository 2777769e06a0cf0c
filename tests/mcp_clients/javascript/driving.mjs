// The client of JavaScript's SDK, on a tour of a server with each token; answers in JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { MCP_URL, MCP_TOKENS, MCP_RESOURCE } = process.env;

async function tour(client, transport) {
  const { tools } = await client.listTools();
  const { resources } = await client.listResources();
  const { contents } = await client.readResource({ uri: MCP_RESOURCE });
  const seen = {
    version: transport.protocolVersion,
    tools: tools.map((tool) => tool.name),
    resources: resources.map((resource) => resource.uri),
    read: contents[0].text,
  };
  for (const [name, args] of [["count_words", { text: "two words" }], ["search", { q: "tariffs" }]]) {
    const result = await client.callTool({ name, arguments: args });
    seen[name] = { error: result.isError, value: result.structuredContent };
  }
  await client.callTool({ name: "no_such", arguments: {} }).catch((error) => {
    seen.unknown = error.code;
  });
  return seen;
}

async function takeTour(token) {
  const transport = new StreamableHTTPClientTransport(new URL(MCP_URL), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  const client = new Client({ name: "tour", version: "1.0.0" });
  try {
    await client.connect(transport);
    const seen = await tour(client, transport);
    await client.close();
    return seen;
  } catch (error) {
    return { refused: `${error.code ?? ""} ${error.message}` };
  }
}

const answers = [];
for (const token of MCP_TOKENS.split(" ")) answers.push(await takeTour(token));
console.log(JSON.stringify(answers));
