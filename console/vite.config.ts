import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** The components' library carries its few words in thirty languages: those of the console are kept. */
const KEPT = new Set(["en-US", "es-ES", "nl-NL"]);
const withoutOtherLanguages: Plugin = {
  name: "without-other-languages",
  enforce: "pre",
  load(id) {
    const language = /\/react-(?:aria|stately)[^/]*\/.*\/intl\/[a-z]+\/([a-z]{2}-[A-Z]{2})\.m?js$/.exec(id)?.[1];
    return language && !KEPT.has(language) ? "export default {};" : null;
  },
};

/** Few files: what is there from the start, what at least three screens share, and what is a screen's own. */
const groups = [
  { name: "start", tags: ["$initial" as const], priority: 1 },
  { name: "shared", minShareCount: 3 },
];

// The server's policy allows no inline script, style or picture: everything is a file of its own.
export default defineConfig({
  plugins: [withoutOtherLanguages, react()],
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
