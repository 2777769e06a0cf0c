/** What the console has for modules of plugins at the addresses of its import map: none of it goes into a module. */
export const SHARED = ["react", "react/jsx-runtime", "react-dom", "react-aria-components", "@guildhall/console"];
