import { useEffect, useState } from "react";

export interface Colours {
  bg: string;
  surface: string;
  text: string;
  muted: string;
  border: string;
  accent: string;
}

/** The theme's colours as they are now: a canvas knows no custom properties. */
export function useThemeColours(): Colours {
  const [colours, setColours] = useState(read);
  useEffect(() => {
    const look = () =>
      setColours((before) => {
        const now = read();
        return JSON.stringify(now) === JSON.stringify(before) ? before : now;
      });
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const observer = new MutationObserver(look);
    dark.addEventListener("change", look);
    observer.observe(document.documentElement, { attributes: true });
    return () => {
      dark.removeEventListener("change", look);
      observer.disconnect();
    };
  }, []);
  return colours;
}

function read(): Colours {
  const style = getComputedStyle(document.documentElement);
  const of = (token: string) => style.getPropertyValue(`--${token}`).trim();
  return { bg: of("bg"), surface: of("surface"), text: of("text"), muted: of("muted"), border: of("border"), accent: of("accent") };
}
