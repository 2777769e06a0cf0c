/** Where home is in the location bar: at the root, or beside the sign-up page where that stands at the root. */

import { useCallback } from "react";
import { useBrowserLocation } from "wouter/use-browser-location";

/** Home under an address of its own: it works everywhere, and is where home is when the root is another's. */
const HOME = "/home";

type Navigate = ReturnType<typeof useBrowserLocation>[1];

const read = (path: string) => (path === HOME ? "/" : path);
export const besideFunnel = (path: string) => (path === "/" || path.startsWith("/?") ? HOME + path.slice(1) : path);

/** The address that screens go by: home is `/` to all of them. */
export function useConsoleLocation(): [string, Navigate] {
  const [path, navigate] = useBrowserLocation();
  return [read(path), navigate];
}

/** As `useConsoleLocation`, where the root is the sign-up page: home is shown, and found again, at `/home`. */
export function useLocationBesideFunnel(): [string, Navigate] {
  const [path, navigate] = useBrowserLocation();
  const go = useCallback<Navigate>((to, ...rest) => navigate(besideFunnel(String(to)), ...rest), [navigate]);
  return [read(path), go];
}
