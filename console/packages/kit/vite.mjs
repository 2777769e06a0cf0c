import { SHARED } from "./shared.mjs";
import { serveBefore } from "./vite-dev.mjs";

export { SHARED };

/** A module brings its stylesheet, which lies beside it. */
const withStyles = {
  name: "with-styles",
  generateBundle(_, bundle) {
    const module = bundle["index.js"];
    if (module && bundle["index.css"]) module.code += LOADS_STYLES;
  },
};
const LOADS_STYLES = `
const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: new URL("index.css", import.meta.url).href });
await new Promise((done) => {
  sheet.onload = sheet.onerror = done;
  document.head.append(sheet);
});
`;

/** The configuration of Vite for the screens of a plugin: one ES module, with its styles beside it as `index.css`. */
export function screens({ entry, outDir }) {
  // `guildhall dev` says where its hall is, whose plugin this is, and at which address people come.
  const { GUILDHALL_DEV_HALL: hall, GUILDHALL_DEV_PLUGIN: plugin, GUILDHALL_DEV_ORIGIN: origin } = process.env;
  if (hall && plugin && origin) return serveBefore({ entry, hall, plugin, origin });
  return {
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2022",
      assetsInlineLimit: 0,
      lib: { entry, formats: ["es"], fileName: () => "index.js", cssFileName: "index" },
      rolldownOptions: { external: SHARED },
    },
    plugins: [withStyles],
    // A library is otherwise left to say by itself for what it is built.
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
    oxc: { jsx: { runtime: "automatic", development: false } },
  };
}
