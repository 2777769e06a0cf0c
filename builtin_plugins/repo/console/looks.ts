/** How a person likes their files listed, kept on this device: rows or tiles, in which order, with or without details. */

import { useSyncExternalStore } from "react";

export type Layout = "rows" | "tiles";
export type Sort = "name" | "size" | "updated";
export type Order = "asc" | "desc";

export interface Looks {
  layout: Layout;
  sort: Sort;
  order: Order;
  /** Whether the details of what is selected stand beside the list. */
  details: boolean;
}

const KEY = "guildhall.files";
const DEFAULTS: Looks = { layout: "rows", sort: "name", order: "asc", details: false };
const listeners = new Set<() => void>();
let current: Looks = read();

function read(): Looks {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? "null") as Partial<Looks> | null) };
  } catch {
    return DEFAULTS;
  }
}

export function changeLooks(change: Partial<Looks>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // Then it holds until the page is closed.
  }
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useLooks = (): Looks => useSyncExternalStore(subscribe, () => current);

/** Sorts by a column, or the other way round where it is sorted by that already; what is newest or largest comes first. */
export function sortBy(sort: Sort): void {
  const first: Order = sort === "name" ? "asc" : "desc";
  const isSame = current.sort === sort;
  changeLooks({ sort, order: isSame ? (current.order === "asc" ? "desc" : "asc") : first });
}
