/** What else a place needs than a permission: a feature and a plugin that are on for the team; and its key after g. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { api, dataOf } from "../api/client";
import { useIdentity } from "../session/identity";
import { placesFor, type Place } from "./places";

interface Switches {
  feature?: string;
  plugin?: string;
  letter?: string;
}

const SWITCHES: Record<string, Switches> = {
  "/": { letter: "h" },
  "/notes": { plugin: "notes", letter: "n" },
  "/files": { letter: "f" },
  "/chat": { plugin: "ai", feature: "chat", letter: "c" },
  "/translate": { plugin: "translation", feature: "translate", letter: "t" },
  "/glossary": { plugin: "translation", letter: "y" },
  "/workflows": { plugin: "workflows", feature: "workflows", letter: "w" },
  "/triggers": { plugin: "triggers", feature: "workflows", letter: "e" },
  "/runs": { plugin: "workflows", feature: "workflows", letter: "r" },
  "/knowledge": { plugin: "knowledge", letter: "k" },
  "/localize": { plugin: "l10n", letter: "l" },
  "/members": { letter: "m" },
  "/usage": { letter: "u" },
  "/jobs": { letter: "j" },
  "/team": { letter: "s" },
  "/audit": { letter: "a" },
  "/company": { letter: "o" },
  "/instance": { letter: "i" },
};

export const letterOf = (path: string): string | undefined => SWITCHES[path]?.letter;

/** The names of the features and plugins that are off for the team. */
export interface SwitchedOff {
  features: ReadonlySet<string>;
  plugins: ReadonlySet<string>;
}

export function isOn(path: string, off: SwitchedOff): boolean {
  const { feature, plugin } = SWITCHES[path] ?? {};
  return !(feature && off.features.has(feature)) && !(plugin && off.plugins.has(plugin));
}

const NONE: SwitchedOff = { features: new Set(), plugins: new Set() };

/** What is off for the team; null while nobody knows yet. */
export function useSwitchedOff(): SwitchedOff | null {
  const features = useQuery({ queryKey: ["features"], queryFn: () => dataOf(api.GET("/api/features")), staleTime: 60_000 });
  const plugins = useQuery({ queryKey: ["plugins"], queryFn: () => dataOf(api.GET("/api/plugins")), staleTime: 60_000 });
  return useMemo(() => {
    if (features.isPending || plugins.isPending) return null;
    return {
      features: new Set(features.data?.items.filter(({ enabled }) => !enabled).map(({ name }) => name)),
      plugins: new Set(plugins.data?.items.filter(({ enabled, status }) => !enabled || status !== "loaded").map(({ id }) => id)),
    };
  }, [features.data, features.isPending, plugins.data, plugins.isPending]);
}

/** The places that this person is shown now. */
export function usePlaces(): Place[] {
  const identity = useIdentity();
  const off = useSwitchedOff() ?? NONE;
  return useMemo(() => placesFor(identity).filter(({ path }) => isOn(path, off)), [identity, off]);
}

/** Whether a place is shown to this person: what it needs may then be asked for. False while nobody knows yet. */
export function useShows(): (path: string) => boolean {
  const identity = useIdentity();
  const off = useSwitchedOff();
  return useMemo(() => {
    const shown = new Set(off ? placesFor(identity).filter(({ path }) => isOn(path, off)).map(({ path }) => path) : []);
    return (path: string) => shown.has(path);
  }, [identity, off]);
}
