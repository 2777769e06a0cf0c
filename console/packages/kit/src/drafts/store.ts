/** What was typed and not saved yet, kept on this device per person and thing until it is. */

import { readStored, safely, writeStored } from "../device";

export interface Draft {
  text: string;
  /** The ETag of what it was typed over, so that a change by somebody else is noticed. */
  base: string | null;
  at: number;
}

const PREFIX = "guildhall.draft.";
const LONGEST_DAYS = 30;

export const keyOf = (userId: string, thing: string) => `${PREFIX}${userId}.${thing}`;

export const readDraft = (userId: string, thing: string): Draft | null => draftAt(keyOf(userId, thing));

/** Keeps a draft, or with null none; returns whether that was possible. */
export function writeDraft(userId: string, thing: string, draft: Draft | null): boolean {
  const isStored = writeStored(keyOf(userId, thing), draft);
  if (isStored) listeners.forEach((listener) => listener());
  return isStored;
}

export const dropDraft = (userId: string, thing: string): boolean => writeDraft(userId, thing, null);

const listeners = new Set<() => void>();

/** Calls back when a draft comes, changes or goes, in this tab or in another. */
export function subscribeDrafts(listener: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key === null || key.startsWith(PREFIX)) listener();
  };
  listeners.add(listener);
  window.addEventListener("storage", onStorage);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", onStorage);
  };
}

/** The drafts of things whose names begin so, the latest first. */
export function listDrafts(userId: string, prefix: string): { thing: string; draft: Draft }[] {
  const begin = keyOf(userId, "");
  return keysFrom(begin + prefix)
    .flatMap((key) => {
      const draft = draftAt(key);
      return draft ? [{ thing: key.slice(begin.length), draft }] : [];
    })
    .sort((one, other) => other.draft.at - one.draft.at);
}

/** Forgets drafts that nobody came back to. */
export function sweepDrafts(now: number): void {
  for (const key of keysFrom(PREFIX)) {
    const draft = draftAt(key);
    if (!draft || now - draft.at > LONGEST_DAYS * 86_400_000) writeStored(key, null);
  }
}

const keysFrom = (prefix: string) => safely(() => Object.keys(localStorage).filter((key) => key.startsWith(prefix)), []);

const draftAt = (key: string): Draft | null => checked(readStored(key));
const checked = (draft: unknown): Draft | null => (isDraft(draft) ? draft : null);

export const parseDraft = (stored: string | null): Draft | null => checked(safely(() => JSON.parse(stored ?? "null") as unknown, null));

function isDraft(value: unknown): value is Draft {
  const draft = value as Draft | null;
  return typeof draft === "object" && draft !== null && typeof draft.text === "string" && typeof draft.at === "number";
}
