/** The screens that this person is shown, as the shell knows them: for whoever links to one, or lists what it brings. */

import type { LucideIcon } from "lucide-react";
import { createContext, useCallback, useContext, type ComponentType, type ReactNode } from "react";

import type { ScreenParts } from "./define";

export interface ShownScreen extends Pick<ScreenParts, "letter" | "begin" | "waiting" | "recent" | "panel" | "top" | "everywhere"> {
  plugin: string;
  name: string;
  path: string;
  /** In the reader's language. */
  title: string;
  group: string;
  icon: LucideIcon;
  Component: ComponentType;
  /** Types of search hits that open here. */
  opens: readonly string[];
}

/** One that the caller is not shown: what it needs, and which feature, plugin or permission that is. */
export interface ClosedScreen {
  plugin: string;
  name: string;
  path: string;
  title: string;
  needs: "plugin" | "feature" | "permission";
  what: string;
}

export interface KnownScreens {
  /** In the order of the navigation; tabs of others are among them. */
  shown: readonly ShownScreen[];
  closed: readonly ClosedScreen[];
}

export const NO_SCREENS: KnownScreens = { shown: [], closed: [] };
const ScreensContext = createContext<KnownScreens>(NO_SCREENS);

export function ScreensProvider({ screens, children }: { screens: KnownScreens; children: ReactNode }) {
  return <ScreensContext value={screens}>{children}</ScreensContext>;
}

export const useScreens = (): KnownScreens => useContext(ScreensContext);

/** Whether a place is shown to this person: what it needs may then be asked for. False while nobody knows yet. */
export function useShows(): (path: string) => boolean {
  const { shown } = useScreens();
  return useCallback((path: string) => shown.some((screen) => screen.path === path), [shown]);
}

/** Whether an address is a screen's, or below it. */
export const isWithin = (address: string, path: string): boolean => address === path || (path !== "/" && address.startsWith(`${path}/`));

/** The screen that has an address: of those that fit, the one that says most of it. */
export function screenAt<Screen extends { path: string }>(screens: readonly Screen[], address: string): Screen | undefined {
  return screens.reduce<Screen | undefined>(
    (best, screen) => (isWithin(address, screen.path) && screen.path.length > (best?.path.length ?? 0) ? screen : best),
    undefined,
  );
}

/** The screen that another one is a tab of. */
export function parentOf<Screen extends { path: string }>(screens: readonly Screen[], path: string): Screen | undefined {
  return screenAt(screens.filter((other) => other.path !== path), path);
}
