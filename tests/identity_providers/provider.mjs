// A provider of OpenID Connect that is none of ours: `oidc-provider`, with one person whom it asks nothing.
// Arguments: a port (0 for any), the folder where it is installed, and the seed of its key's name.
import { createRequire } from "node:module";
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

const [port, folder, keyId] = process.argv.slice(2);
const { Provider } = await import(pathToFileURL(createRequire(`${folder}/package.json`).resolve("oidc-provider")).href);

const server = createServer();
await new Promise((done) => server.listen(Number(port), "127.0.0.1", done));
const issuer = `http://127.0.0.1:${server.address().port}`;
const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
const person = { email: "ada@acme.test", email_verified: true, name: "Ada Lovelace", preferred_username: "ada", groups: ["engines"] };

const provider = new Provider(issuer, {
  // It speaks with no address of this machine but where it is told to, and here there are no others.
  fetch: (url, { dispatcher: _, ...options }) => fetch(url, options),
  jwks: { keys: [{ ...key, kid: keyId, use: "sig", alg: "ES256" }] },
  cookies: { keys: ["a key of the test's own"] },
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "preferred_username", "groups"] },
  clientDefaults: { id_token_signed_response_alg: "ES256" },
  enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
  features: {
    backchannelLogout: { enabled: true },
    devInteractions: { enabled: false },
    registration: { enabled: true, idFactory: () => "guildhall", secretFactory: () => "what only the two know" },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (ctx, form) => {
        ctx.body = `<!doctype html><title>Leave</title>${form}<button form="op.logoutForm" name="logout" value="yes">Leave</button>`;
      },
      postLogoutSuccessSource: (ctx) => {
        ctx.body = "<!doctype html><title>Left</title><h1>You have left</h1>";
      },
    },
  },
  pkce: { required: () => true },
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...person }) }),
  async loadExistingGrant({ oidc }) {
    const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
    grant.addOIDCScope("openid email profile");
    await grant.save();
    return grant;
  },
});
provider.use(async (ctx, next) => {
  if (!ctx.path.startsWith("/interaction/")) return next();
  ctx.respond = false;
  await provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: "ada-1" } });
});
provider.on("backchannel.error", (_, error) => console.log(`backchannel.error ${error.message} ${error.cause?.message ?? ""}`));
server.on("request", provider.callback());
console.log(`serving at ${issuer}`);
