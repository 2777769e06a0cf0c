/** Asking about something: a conversation whose answers come from it. */

import { useCallback } from "react";
import { useLocation } from "wouter";

import { useShows } from "../screens/shown";

/** What can be asked about; `at` is the id, of a folder its key. */
export interface Source {
  type: "folder" | "object" | "note" | "entity";
  at: string;
}

/** The source that an address names, if it names one. */
export function sourceIn(text: string | undefined): Source | null {
  const [, type, at] = /^(folder|object|note|entity):(.+)$/s.exec(text ?? "") ?? [];
  return type && at ? { type: type as Source["type"], at } : null;
}

/** Begins a conversation about something; null for who has no conversations. */
export function useAsk(): ((source: Source) => void) | null {
  const shows = useShows();
  const [, navigate] = useLocation();
  const ask = useCallback(({ type, at }: Source) => navigate(`/chat?${new URLSearchParams({ source: `${type}:${at}` })}`), [navigate]);
  return shows("/chat") ? ask : null;
}
