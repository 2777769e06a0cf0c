/** How the console looks now, as data for a frame: the tokens of the mode that is on. */

import { useEffect, useState } from "react";

const TOKENS = ["bg", "surface", "text", "muted", "border", "accent", "on-accent", "danger", "on-danger", "focus", "radius"];
const DARK = "(prefers-color-scheme: dark)";

export interface Appearance {
  mode: "light" | "dark";
  tokens: Record<string, string>;
}

export function currentAppearance(): Appearance {
  const root = document.documentElement;
  const computed = getComputedStyle(root);
  const chosen = root.dataset.mode;
  const isDark = chosen ? chosen === "dark" : matchMedia(DARK).matches;
  const tokens = TOKENS.map((name) => [name, computed.getPropertyValue(`--${name}`).trim()] as const);
  return { mode: isDark ? "dark" : "light", tokens: Object.fromEntries(tokens) };
}

/** The appearance, anew whenever the mode or the branding changes. */
export function useAppearance(): Appearance {
  const [appearance, setAppearance] = useState(currentAppearance);
  useEffect(() => {
    const look = () => setAppearance(currentAppearance());
    const system = matchMedia(DARK);
    const watch = new MutationObserver(look);
    watch.observe(document.documentElement, { attributes: true, attributeFilter: ["style", "data-mode"] });
    system.addEventListener("change", look);
    return () => {
      watch.disconnect();
      system.removeEventListener("change", look);
    };
  }, []);
  return appearance;
}
