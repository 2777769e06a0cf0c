/** `guildhall dev`: Vite stands before a hall and serves the screens of one plugin from their sources, again as they are saved. */

import { SHARED } from "./shared.mjs";

/** Vite's own files have addresses below this; everything else is the hall's. */
const BASE = "/@screens/";
const HOT = "guildhall-hot-screens";
const HOT_ID = `\0${HOT}`;
const FROM_HALL = "^/(?!@screens/)";

/** What the page has for names that modules share with it: its import map says where. */
const IMPORT_MAP = /<script type="importmap">(.*?)<\/script>/s;

/** The screens by their names, each of which shows what was saved last: the page, and who is signed in, stay as they are. */
const hotModule = (entry) => `
import { createElement, useSyncExternalStore } from "react";
import first from ${JSON.stringify(entry)};
let screens = first;
const listeners = new Set();
const subscribe = (listener) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const lively = (name) => function Lively(props) {
  const shown = useSyncExternalStore(subscribe, () => screens)[name]?.component;
  return shown ? createElement(shown, props) : null;
};
export default Object.fromEntries(Object.entries(first).map(([name, one]) => [name, { ...one, component: lively(name) }]));
if (import.meta.hot) {
  import.meta.hot.accept(${JSON.stringify(entry)}, (next) => {
    if (!next) return;
    screens = next.default;
    listeners.forEach((listener) => listener());
  });
}
`;

/** The configuration of Vite's server for the screens of a plugin, in front of the hall at an address. */
export function serveBefore({ entry, hall, plugin, origin }) {
  const addresses = { known: null };
  const addressOf = async (name) => {
    addresses.known ??= await importMap(hall);
    const found = addresses.known[name];
    if (!found) throw new Error(`the console of the hall at ${hall} shares no ${name}; is it built?`);
    return new URL(found, origin).href;
  };
  const module = `/${entry.replace(/^\.?\//, "")}`;
  return {
    base: BASE,
    clearScreen: false,
    // What is bundled before would bring a React of its own.
    optimizeDeps: { exclude: SHARED, rolldownOptions: { external: SHARED } },
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
    oxc: { jsx: { runtime: "automatic", development: false } },
    server: {
      strictPort: true,
      proxy: { [FROM_HALL]: { target: hall, configure: (proxy) => proxy.on("proxyRes", letStylesIn) } },
    },
    plugins: [
      {
        name: "guildhall-dev",
        enforce: "pre",
        resolveId: (id) => (id === HOT || id === HOT_ID ? HOT_ID : SHARED.includes(id) ? addressOf(id) : null),
        load: (id) => (id === HOT_ID ? hotModule(module) : null),
        configureServer(server) {
          server.middlewares.use((request, response, next) => sourceOf(plugin, origin, request, response) || next());
        },
      },
    ],
  };
}

async function importMap(hall) {
  const page = await (await fetch(new URL("/login", hall))).text();
  return JSON.parse(IMPORT_MAP.exec(page)?.[1] ?? "{}").imports ?? {};
}

/** Answers the module of the plugin with its sources, and sends whoever came by another name to the one address. */
function sourceOf(plugin, origin, { url, headers, method }, response) {
  const { host } = new URL(origin);
  // A module at two addresses would be there twice, and React with it.
  if (headers.host !== host && method === "GET" && headers["sec-fetch-dest"] === "document") {
    response.writeHead(307, { Location: `${origin}${url}` }).end();
    return true;
  }
  if (!new RegExp(`^/ui/${plugin}/[0-9a-f]+/index\\.js$`).test(url.split("?")[0])) return false;
  const text = `export { default } from ${JSON.stringify(`${BASE}@id/__x00__${HOT}`)};\n`;
  response.writeHead(200, { "Content-Type": "text/javascript", "Cache-Control": "no-store" }).end(text);
  return true;
}

/** Vite puts styles into the page and hears of changes by a socket, which no page of a hall lets in. */
function letStylesIn(answer) {
  const policy = answer.headers["content-security-policy"];
  if (typeof policy !== "string") return;
  answer.headers["content-security-policy"] = policy
    .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
    .replace("connect-src 'self'", "connect-src 'self' ws:");
}
