// Beside what was built: a packed twin of each script and stylesheet, for whoever takes it, and how lucide's icons are drawn.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const DIST = new URL("../builtin_plugins/console/dist/", import.meta.url);
const ASSETS = new URL("assets/", DIST);
const ICONS = new URL("node_modules/lucide-react/dist/esm/icons/", import.meta.url);

for (const name of readdirSync(ASSETS).filter((each) => /\.(js|css)$/.test(each))) {
  writeFileSync(new URL(`${name}.gz`, ASSETS), gzipSync(readFileSync(new URL(name, ASSETS)), { level: 9 }));
}

/** How an icon is drawn; some are other names of another. */
async function nodesOf(name) {
  const drawn = (await import(new URL(name, ICONS).href)).__iconData?.node;
  const other = drawn ? null : /from '\.\/([a-z0-9-]+\.mjs)'/.exec(readFileSync(new URL(name, ICONS), "utf8"))?.[1];
  return other ? nodesOf(other) : drawn;
}

const files = readdirSync(ICONS).filter((each) => /^[a-z0-9-]+\.mjs$/.test(each) && each !== "index.mjs");
const drawings = await Promise.all(files.map(async (name) => [name.replace(".mjs", ""), await nodesOf(name)]));
writeFileSync(new URL("icons.json", DIST), JSON.stringify(Object.fromEntries(drawings.filter(([, nodes]) => nodes))));
