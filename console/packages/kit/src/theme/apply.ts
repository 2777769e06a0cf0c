/** The theme of who is signed in, over what the stylesheet of this hostname said before the first paint. */

const DARK = "dark-";

export type Theme = Record<string, string | number>;

/** Sets the tokens of both modes; the stylesheet picks those of the mode that is on. */
export function applyTheme(theme: Theme): void {
  const { style } = document.documentElement;
  for (const [token, value] of Object.entries(theme)) {
    const mode = token.startsWith(DARK) ? "dark" : "light";
    const name = token.startsWith(DARK) ? token.slice(DARK.length) : token;
    if (name === "radius") style.setProperty("--theme-radius", `${value}px`);
    else style.setProperty(`--${mode}-${name}`, String(value));
  }
}
