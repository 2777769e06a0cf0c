/** What the console has for modules of plugins at the addresses of its import map: none of it goes into a module. */
export const SHARED = ["react", "react/jsx-runtime", "react-dom", "react-aria-components", "@guildhall/console"];

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
