/** The screens of plugins as this person is shown them, from what the server lists and what their modules bring. */

import { Puzzle, type IconNode, type LucideIcon } from "lucide-react";
import { createElement, useMemo } from "react";

import { usePluginText, useUi, type Ui } from "@guildhall/console/screens/pages";
import { isWithin, parentOf, useScreens, type KnownScreens, type ShownScreen } from "@guildhall/console/screens/shown";
import { useInstance } from "@guildhall/console/instance";
import { useIdentity } from "@guildhall/console/session/identity";
import { componentOf, partsOf, useShipped } from "./modules";

/** The groups of the navigation, in their order. */
export const GROUPS = ["work", "ai", "automate", "localize", "team", "company", "instance"] as const;
/** Those of them that are about running the place; the others are what people work with. */
export const ADMINISTRATION: ReadonlySet<string> = new Set(["team", "company", "instance"]);
const IN_NAVIGATION = new Set<string>(GROUPS);
const rankOf = (group: string) => (IN_NAVIGATION.has(group) ? GROUPS.findIndex((one) => one === group) : GROUPS.length);
export const ACCOUNT = "account";

const icons = new Map<string, LucideIcon>();

/** An icon as the server says that it is drawn. */
function iconOf(name: string, drawings: Ui["icons"]): LucideIcon {
  const nodes = drawings[name] as IconNode | undefined;
  if (!nodes) return Puzzle;
  const found = icons.get(name) ?? drawn(nodes);
  icons.set(name, found);
  return found;
}

const LINES = { xmlns: "http://www.w3.org/2000/svg", viewBox: "0 0 24 24", fill: "none", stroke: "currentColor", strokeWidth: 2, strokeLinecap: "round", strokeLinejoin: "round" } as const;

/** A navigation has dozens: nothing is worked out for one that its lines do not say. */
function drawn(nodes: IconNode): LucideIcon {
  const lines = nodes.map(([tag, attributes], at) => createElement(tag, { ...attributes, key: at }));
  return (({ size = 24, ...rest }) => (
    <svg {...LINES} width={size} height={size} {...rest}>
      {lines}
    </svg>
  )) as unknown as LucideIcon;
}

/** Null while the server has not said yet. */
export function useListedScreens(): KnownScreens | null {
  const say = usePluginText();
  const identity = useIdentity();
  const instance = useInstance();
  const { data } = useUi();
  const shipped = useShipped(data?.screens);
  return useMemo(() => {
    if (!data) return null;
    const shown = data.screens.flatMap((screen): ShownScreen[] => {
      const parts = partsOf(screen);
      const Component = componentOf(screen);
      if (!Component || (parts?.isFor && !parts.isFor({ identity, instance }))) return [];
      return [{ ...screen, ...parts, title: say(screen.title), icon: iconOf(screen.icon, data.icons), Component }];
    });
    // As the navigation has them, so that what they bring to other places stands in the same order.
    shown.sort((one, other) => rankOf(one.group) - rankOf(other.group));
    return { shown, closed: data.closed.map((screen) => ({ ...screen, title: say(screen.title) })) };
  }, [data, say, identity, instance, shipped]);
}

/** The screens that stand in the navigation: those that are no tab of another. */
export function usePlaces(): ShownScreen[] {
  const { shown } = useScreens();
  return useMemo(() => shown.filter(({ group, path }) => IN_NAVIGATION.has(group) && !parentOf(shown, path)), [shown]);
}

/** The screens that have an address, from the one that stands in the navigation to the innermost tab. */
export function screensAt({ shown, closed }: KnownScreens, address: string): { title: string; path: string }[] {
  return [...shown, ...closed].filter(({ path }) => isWithin(address, path)).sort((one, other) => one.path.length - other.path.length);
}
