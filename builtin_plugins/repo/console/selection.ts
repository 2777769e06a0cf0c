/** What is ticked in a list. Rows listen for themselves alone: ticking one draws that one again. */

import { useCallback, useSyncExternalStore } from "react";

import type { StoredObject } from "./objects";

export class Selection {
  private picked: ReadonlyMap<string, StoredObject> = new Map();
  private anchor: string | null = null;
  private readonly listeners = new Set<() => void>();

  get current(): ReadonlyMap<string, StoredObject> {
    return this.picked;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  has(id: string): boolean {
    return this.picked.has(id);
  }

  toggle(object: StoredObject): void {
    const next = new Map(this.picked);
    if (!next.delete(object.id)) next.set(object.id, object);
    this.anchor = object.id;
    this.set(next);
  }

  /** Ticks everything between the one that was ticked last and this one. */
  extend(to: StoredObject, all: readonly StoredObject[]): void {
    const from = all.findIndex(({ id }) => id === this.anchor);
    const end = all.findIndex(({ id }) => id === to.id);
    if (from < 0 || end < 0) return this.toggle(to);
    const next = new Map(this.picked);
    for (const object of all.slice(Math.min(from, end), Math.max(from, end) + 1)) next.set(object.id, object);
    this.set(next);
  }

  all(objects: readonly StoredObject[]): void {
    this.set(new Map(objects.map((object) => [object.id, object])));
  }

  clear(): void {
    if (this.picked.size > 0) this.set(new Map());
  }

  private set(next: ReadonlyMap<string, StoredObject>): void {
    this.picked = next;
    this.listeners.forEach((listener) => listener());
  }
}

export function useIsPicked(selection: Selection, id: string): boolean {
  return useSyncExternalStore(
    selection.subscribe,
    useCallback(() => selection.has(id), [selection, id]),
  );
}

export function usePicked(selection: Selection): ReadonlyMap<string, StoredObject> {
  return useSyncExternalStore(selection.subscribe, () => selection.current);
}
