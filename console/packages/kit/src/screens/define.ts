/** What the module of a plugin brings: its screens by their names, each with what it adds to places of others. */

import type { LucideIcon } from "lucide-react";
import type { ComponentType } from "react";

import type { Instance } from "../instance";
import type { Identity } from "../session/identity";

/** A piece of work that begins at an address: a command of the palette, and perhaps a card of the first page. */
export interface Beginning {
  /** A key of the catalog, as are those of the card. */
  name: string;
  card?: { name: string; text: string };
  path: string;
  /** Without one it has that of the screen. */
  icon?: LucideIcon;
  /** The permission that it takes. */
  needs: string;
}

/** A piece of work that changed lately. */
export interface RecentItem {
  id: string;
  path: string;
  title: string;
  icon: LucideIcon;
  owner: { id: string; name: string };
  at: string;
}

export interface RecentWork {
  items: readonly RecentItem[];
  isPending: boolean;
  error: unknown;
  refetch: () => void;
}

/** Something that waits for this person: to be looked at, decided, taken note of. */
export interface WaitingItem {
  /** The same for as long as it is the same thing: it is dismissed by this. */
  id: string;
  path: string;
  title: string;
  detail?: string | undefined;
  /** Without one it has that of the screen. */
  icon?: LucideIcon;
  /** Since when it waits; dismissed, it comes back once this is later. */
  at?: string | undefined;
  isAlarming?: boolean;
  /** It goes when it is done, and cannot be dismissed. */
  stays?: boolean;
}

/** Things of one kind, under a heading of their own. */
export interface Waiting {
  /** A key of the catalog, or words. */
  heading: string;
  items: readonly WaitingItem[];
}

/** The moment up to which something was dismissed, by its id. */
export type Dismissed = Readonly<Record<string, string>>;

/** A part that is loaded where it is first needed: `() => import("./recent")`. */
export type Load<Part> = () => Promise<{ default: Part }>;

export interface ScreenParts {
  /** Has the address of the screen, and all below it. */
  component: ComponentType;
  /** The key after g that leads here. */
  letter?: string;
  begin?: readonly Beginning[];
  /** A hook with what waits for this person, for the first page. */
  waiting?: Load<(dismissed: Dismissed) => Waiting>;
  /** A hook with what changed last. */
  recent?: Load<() => RecentWork>;
  /** A panel of the first page; what changed last is given to it, to name and to link. */
  panel?: ComponentType<{ work: readonly RecentItem[] }>;
  /** Stands in the bar at the top of every screen, beside one's name. */
  top?: ComponentType;
  /** Stands beside every screen, wherever somebody is. */
  everywhere?: ComponentType;
  /** Whether this person is shown it, where more than a permission and a feature says so. */
  isFor?: (known: { identity: Identity; instance: Instance }) => boolean;
}

export type Screens = Record<string, ScreenParts>;

/** The default export of a plugin's module: its screens, by the names that its `declare_screens` gives them. */
export const defineScreens = (screens: Screens): Screens => screens;

