/** The modules of screens: those of this build, by the plugin that has them, and those that a stranger's plugin ships. */

import { lazyPart } from "@guildhall/console/ui/lazyPart";
import type { Screens } from "@guildhall/console/screens/define";
import type { Ui } from "@guildhall/console/screens/pages";
import type { ComponentType } from "react";
import loadShared from "virtual:shared-modules";

type Listed = Ui["screens"][number];

const built = import.meta.glob<{ default: Screens }>("../../../builtin_plugins/*/console/index.tsx", { eager: true });
const byPlugin = new Map(Object.entries(built).map(([path, module]) => [pluginOf(path), module.default]));

function pluginOf(path: string): string {
  return (path.split("/").at(-3) ?? "").replaceAll("_", "-");
}

const components = new Map<string, ComponentType>();

/** What a screen brings beside its component; of a stranger's nothing is known before its module is there. */
export function partsOf({ plugin, name, module }: Listed) {
  return module === undefined ? byPlugin.get(plugin)?.[name] : undefined;
}

/** What shows a screen; undefined for one that neither this build nor an address has. */
export function componentOf(screen: Listed): ComponentType | undefined {
  const { module } = screen;
  if (module === undefined) return partsOf(screen)?.component;
  const key = `${module}#${screen.name}`;
  const found = components.get(key) ?? lazyPart(() => loadFrom(module, screen.name));
  components.set(key, found);
  return found;
}

async function loadFrom(module: string, name: string): Promise<{ default: ComponentType }> {
  // With what it shares with us, and the styles of that.
  await loadShared();
  const { default: screens } = (await import(/* @vite-ignore */ module)) as { default?: Screens };
  const component = screens?.[name]?.component;
  if (!component) throw new Error(`${module} defines no screen ${name}`);
  return { default: component };
}
