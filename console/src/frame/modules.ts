/** The modules of screens: those of this build, by the plugin that has them, and those that a stranger's plugin ships. */

import { useEffect, useReducer, type ComponentType } from "react";

import { lazyPart } from "@guildhall/console/ui/lazyPart";
import type { Screens } from "@guildhall/console/screens/define";
import type { Ui } from "@guildhall/console/screens/pages";
import loadShared from "virtual:shared-modules";

type Listed = Ui["screens"][number];

const built = import.meta.glob<{ default: Screens }>("../../../builtin_plugins/*/console/index.tsx", { eager: true });
const byPlugin = new Map(Object.entries(built).map(([path, module]) => [pluginOf(path), module.default]));

function pluginOf(path: string): string {
  return (path.split("/").at(-3) ?? "").replaceAll("_", "-");
}

/** What strangers' modules bring, by their addresses; of one that cannot be loaded, nothing. */
const shipped = new Map<string, Screens>();
const components = new Map<string, ComponentType>();

/** What a screen brings beside its component; of a stranger's nothing is known before its module is there. */
export function partsOf({ plugin, name, module }: Listed) {
  return (module === undefined ? byPlugin.get(plugin) : shipped.get(module))?.[name];
}

/** What shows a screen; undefined for one that neither this build nor an address has. */
export function componentOf(screen: Listed): ComponentType | undefined {
  const { module, name } = screen;
  if (module === undefined) return partsOf(screen)?.component;
  const key = `${module}#${name}`;
  const found = components.get(key) ?? lazyPart(() => loadFrom(module).then((screens) => ({ default: named(screens, name, module) })));
  components.set(key, found);
  return found;
}

function named(screens: Screens, name: string, module: string): ComponentType {
  const component = screens[name]?.component;
  if (!component) throw new Error(`${module} defines no screen ${name}`);
  return component;
}

async function loadFrom(module: string): Promise<Screens> {
  // With what it shares with us, and the styles of that.
  await loadShared();
  const { default: screens = {} } = (await import(/* @vite-ignore */ module)) as { default?: Screens };
  shipped.set(module, screens);
  return screens;
}

/** Loads what strangers ship once the page is there; returns another figure whenever more of it is known. */
export function useShipped(screens: readonly Listed[] | undefined): number {
  const [known, hear] = useReducer((before: number) => before + 1, 0);
  const modules = [...new Set(screens?.flatMap(({ module }) => module ?? []))].join(" ");
  useEffect(() => {
    const missing = modules.split(" ").filter((module) => module && !shipped.has(module));
    const load = () => missing.forEach((module) => void loadFrom(module).then(hear, () => shipped.set(module, {})));
    if (document.readyState === "complete") load();
    else window.addEventListener("load", load, { once: true });
    return () => window.removeEventListener("load", load);
  }, [modules]);
  return known;
}
