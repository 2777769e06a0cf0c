import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

import { SHARED } from "./packages/kit/vite.mjs";

const KIT = decodeURIComponent(new URL("packages/kit/src", import.meta.url).pathname);

/** The components' library carries its few words in thirty languages: those of the console are kept. */
const KEPT = new Set(["en-US", "es-ES", "nl-NL"]);
const withoutOtherLanguages: Plugin = {
  name: "without-other-languages",
  enforce: "pre",
  load(id) {
    const language = /\/react-(?:aria|stately)[^/]*\/.*\/intl\/[a-z]+\/([a-z]{2}-[A-Z]{2})\.m?js$/.exec(id)?.[1];
    // English stands in for those: where a word is missing altogether, a component breaks.
    return language && !KEPT.has(language) ? `export { default } from "./en-US${id.endsWith(".mjs") ? ".mjs" : ".js"}";` : null;
  },
};

/** What stands before one is in, and on the first page: little, and no menus, lists or dialogs. */
const FIRST = /(identity\/console\/entry|console\/console\/home)\/|\/(actionWords|approval)\.ts$|\/kit\/src\/(api\/(live|events)\.ts$|ui\/(Checkbox|CheckMark|Form(?!Dialog)|Lines|Panel|PasswordField|dimensions|quotas|strength|TextField|Time|actionWords)|drafts\/)/;

/** Few files: what is there from the start, what comes first, what at least three screens share, and a screen's own. */
const groups = [
  { name: "start", tags: ["$initial" as const], priority: 2 },
  { name: "first", test: FIRST, priority: 1 },
  { name: "icons", test: /lucide-react/, minShareCount: 2, priority: 1 },
  { name: "shared", minShareCount: 3 },
];

// What the modules of strangers share with ours has addresses in an import map of the page.
const ALL_SHARED = "virtual:shared-modules";
const PREFIX = "\0shared:";

/** Each is a chunk of its own, whose exports keep their names: it is imported whole. */
const sharedModules: Plugin = {
  name: "shared-modules",
  enforce: "pre",
  resolveId: (id) => (id === ALL_SHARED || id.startsWith("shared:") ? `\0${id}` : null),
  async load(id) {
    if (id === `\0${ALL_SHARED}`) return `export default () => Promise.all([${SHARED.map((name) => `import("shared:${name}")`).join(", ")}]);`;
    if (!id.startsWith(PREFIX)) return null;
    const name = id.slice(PREFIX.length);
    if (name === "@guildhall/console") return `export * from ${JSON.stringify(`${KIT}/index.ts`)};`;
    if (name === "react-aria-components") return `export * from "react-aria-components";`;
    // What is no ES module says by itself what it exports.
    const names = Object.keys((await import(name)) as object).filter((one) => /^[A-Za-z_$][\w$]*$/.test(one) && one !== "default");
    return `import all from ${JSON.stringify(name)};\nexport default all;\nexport const { ${names.join(", ")} } = all;`;
  },
  transformIndexHtml: {
    order: "post",
    handler(html, { bundle }) {
      const chunks = Object.values(bundle ?? {}).filter((one) => one.type === "chunk");
      const addressOf = (name: string) => `/${chunks.find(({ facadeModuleId }) => facadeModuleId === PREFIX + name)?.fileName}`;
      const imports = Object.fromEntries(SHARED.map((name) => [name, addressOf(name)]));
      // The page is drawn before its styles are here: they stand behind what is shown first.
      const styles = html.match(/ *<link rel="stylesheet" crossorigin [^>]*>\n/g) ?? [];
      const later = styles.reduce((text, link) => text.replace(link, ""), html).replace("  </body>", `${styles.join("")}  </body>`);
      return { html: later, tags: [{ tag: "script", attrs: { type: "importmap" }, children: JSON.stringify({ imports }), injectTo: "head-prepend" as const }] };
    },
  },
};

// The server's policy allows no inline script, style or picture: everything is a file of its own.
export default defineConfig({
  resolve: { alias: [{ find: /^@guildhall\/console\/libs\//, replacement: `${KIT}/../libs/` }, { find: /^@guildhall\/console\//, replacement: `${KIT}/` }] },
  server: { fs: { allow: [".."] } },
  test: { include: ["src/**/*.test.ts", "packages/**/*.test.ts", "../builtin_plugins/*/console/**/*.test.ts"] },
  plugins: [withoutOtherLanguages, react(), sharedModules],
  build: {
    outDir: "../builtin_plugins/console/dist",
    emptyOutDir: true,
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    chunkSizeWarningLimit: 600,
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
  worker: { format: "es" },
});
