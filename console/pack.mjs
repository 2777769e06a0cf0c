// Beside what was built: a packed twin of each script and stylesheet, for whoever takes it, how lucide's icons are drawn,
// and what pdf.js asks for by name.
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const DIST = new URL("../builtin_plugins/console/dist/", import.meta.url);
const ASSETS = new URL("assets/", DIST);
const PDF = new URL("node_modules/pdfjs-dist/", import.meta.url);
const ICONS = new URL("node_modules/lucide-react/dist/esm/icons/", import.meta.url);

for (const name of readdirSync(ASSETS).filter((each) => /\.(m?js|css)$/.test(each))) {
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

// Below an address with its version, as these are kept for a year: character maps of Asian scripts, the fonts that
// every reader of PDFs has, and what decodes JPEG 2000 where a policy allows no WebAssembly.
const { version } = JSON.parse(readFileSync(new URL("package.json", PDF), "utf8"));
const parts = new URL(`pdf-${version}/`, ASSETS);
cpSync(new URL("cmaps", PDF), new URL("cmaps", parts), { recursive: true });
cpSync(new URL("standard_fonts", PDF), new URL("standard_fonts", parts), { recursive: true });
cpSync(new URL("wasm/openjpeg_nowasm_fallback.js", PDF), new URL("openjpeg_nowasm_fallback.js", parts));

// What draws diagrams, in a frame: loaded there when the first one is looked at.
cpSync(new URL("node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js", import.meta.url), new URL("diagram/mermaid.js", DIST));
