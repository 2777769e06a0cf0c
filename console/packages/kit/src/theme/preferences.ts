/** How a person likes to see the console, kept on this device: light or dark, and how tall rows are. */

import { useSyncExternalStore } from "react";

import { readStored, writeStored } from "../device";

export type Mode = "system" | "light" | "dark";
export type Density = "comfortable" | "dense";

interface Preferences {
  mode: Mode;
  density: Density;
  /** Whether the navigation is a strip of icons. */
  narrow: boolean;
}

const KEY = "guildhall.preferences";
const DEFAULTS: Preferences = { mode: "system", density: "comfortable", narrow: false };

const listeners = new Set<() => void>();
const read = (): Preferences => ({ ...DEFAULTS, ...readStored<Partial<Preferences>>(KEY) });
let current = read();

/** Marks the document, for the stylesheet to pick the colours and the row height. */
function show(): void {
  const { dataset } = document.documentElement;
  if (current.mode === "system") delete dataset.mode;
  else dataset.mode = current.mode;
  dataset.density = current.density;
}

export function setPreference<Name extends keyof Preferences>(name: Name, value: Preferences[Name]): void {
  current = { ...current, [name]: value };
  writeStored(KEY, current);
  show();
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePreference<Name extends keyof Preferences>(name: Name): Preferences[Name] {
  return useSyncExternalStore(subscribe, () => current[name]);
}

/** Shows what was chosen before, and follows what another tab chooses. */
export function beginPreferences(): void {
  show();
  window.addEventListener("storage", (event) => {
    if (event.key !== KEY) return;
    current = read();
    show();
    listeners.forEach((listener) => listener());
  });
}
