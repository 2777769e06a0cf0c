// The client of JavaScript's SDK, which signs in by OAuth; it says which address to open, and then what it was given.
import { createServer } from "node:http";

import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

let hear;
const answered = new Promise((resolve) => (hear = resolve));
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://127.0.0.1");
  if (pathname === "/callback") hear(searchParams);
  response.end("Done");
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const redirectUrl = `http://127.0.0.1:${server.address().port}/callback`;

const kept = {};
const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: "JavaScript's client", redirect_uris: [redirectUrl] },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => (kept.tokens = tokens),
  redirectToAuthorization: (url) => say({ open: String(url) }),
  saveCodeVerifier: (verifier) => (kept.verifier = verifier),
  codeVerifier: () => kept.verifier,
};
const transport = () => new StreamableHTTPClientTransport(new URL(process.env.MCP_URL), { authProvider });
const names = async (client) => (await client.listTools()).tools.map((tool) => tool.name);

const first = transport();
try {
  await new Client({ name: "tour", version: "1.0.0" }).connect(first);
} catch (error) {
  if (!(error instanceof UnauthorizedError)) throw error;
  await first.finishAuth((await answered).get("code"));
}
const client = new Client({ name: "tour", version: "1.0.0" });
await client.connect(transport());
const tools = await names(client);
const { scope } = kept.tokens;
// As when the access token has lapsed.
kept.tokens = { ...kept.tokens, access_token: "lapsed" };
const again = await names(client);
say({ tools, again, scope });
await client.close();
server.closeAllConnections();
server.close();
