/** What is selected in a list. Rows listen for themselves alone: selecting one draws that one again. */

import { useCallback, useSyncExternalStore } from "react";

import type { Entry } from "./tree";

export class Selection {
  private picked: ReadonlyMap<string, Entry> = new Map();
  private anchor: string | null = null;
  private readonly listeners = new Set<() => void>();

  get current(): ReadonlyMap<string, Entry> {
    return this.picked;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  has(id: string): boolean {
    return this.picked.has(id);
  }

  toggle(entry: Entry): void {
    const next = new Map(this.picked);
    if (!next.delete(entry.id)) next.set(entry.id, entry);
    this.anchor = entry.id;
    this.set(next);
  }

  /** Selects one and nothing else. */
  only(entry: Entry): void {
    this.anchor = entry.id;
    this.set(new Map([[entry.id, entry]]));
  }

  /** Selects everything between the one that was selected last and this one, beside what is selected. */
  extend(to: Entry, all: readonly Entry[]): void {
    this.span(to, all, this.picked);
  }

  /** Selects everything between where the selection began and this one, and nothing else. */
  reach(to: Entry, all: readonly Entry[], from: Entry): void {
    if (this.anchor === null || this.picked.size === 0) this.anchor = from.id;
    this.span(to, all, new Map());
  }

  all(entries: readonly Entry[]): void {
    this.set(new Map(entries.map((entry) => [entry.id, entry])));
  }

  clear(): void {
    this.anchor = null;
    if (this.picked.size > 0) this.set(new Map());
  }

  private span(to: Entry, all: readonly Entry[], before: ReadonlyMap<string, Entry>): void {
    const from = all.findIndex(({ id }) => id === this.anchor);
    const end = all.findIndex(({ id }) => id === to.id);
    if (from < 0 || end < 0) return this.toggle(to);
    const next = new Map(before);
    for (const entry of all.slice(Math.min(from, end), Math.max(from, end) + 1)) next.set(entry.id, entry);
    this.set(next);
  }

  private set(next: ReadonlyMap<string, Entry>): void {
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

export function usePicked(selection: Selection): ReadonlyMap<string, Entry> {
  return useSyncExternalStore(selection.subscribe, () => selection.current);
}
