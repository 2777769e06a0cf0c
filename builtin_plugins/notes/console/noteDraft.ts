/** A draft of a note, with what it was typed over, so that both changes can be joined even after a reload. */

import type { Draft } from "@guildhall/console/drafts/store";
import { fieldsOf, isSame, type Fields, type Version } from "./version";

/** Longer ones are kept without it: a device keeps some megabytes of everything together. */
const LONGEST_BASE = 500_000;

/** So long the server knows what came of a key, with an hour to spare. */
const KNOWN_MS = 23 * 3_600_000;

/** A note that was sent to be made, and whose answer never came: sent again as it was, no second note comes of it. */
export interface Creation {
  key: string;
  fields: Fields;
  at: number;
}

interface Kept {
  mine: Fields;
  base: Fields | null;
  creation?: Creation;
}

export function encodeDraft(mine: Fields, base: Version | null, creation: Creation | null = null): string {
  const isKept = base !== null && base.note.body.length <= LONGEST_BASE;
  return JSON.stringify({ mine, base: isKept ? fieldsOf(base.note) : null, ...(creation && { creation }) } satisfies Kept);
}

export const decodeDraft = ({ text }: Draft): Kept | null => decode(text);

/** Whether the same was typed in both: what a draft knows of its creation is nothing that somebody typed. */
export function isSameTyped(mine: string, theirs: string): boolean {
  const [own, other] = [decode(mine), decode(theirs)];
  return own !== null && other !== null && isSame(own.mine, other.mine);
}

function decode(text: string): Kept | null {
  try {
    const { mine, base, creation } = JSON.parse(text) as Partial<Kept>;
    return isFields(mine) ? { mine, base: isFields(base) ? base : null, ...(isCreation(creation) && { creation }) } : null;
  } catch {
    return null;
  }
}

/** The creation that a draft waits for the answer of, as long as it can be asked for. */
export function creationIn(draft: Draft | null, now: number): Creation | null {
  const creation = draft && decodeDraft(draft)?.creation;
  return creation && now - creation.at < KNOWN_MS ? creation : null;
}

/** What was typed, to read and to copy. */
export function draftedText(draft: Draft): string {
  const mine = decodeDraft(draft)?.mine;
  return mine ? `${mine.title}\n\n${mine.body}` : draft.text;
}

function isFields(value: unknown): value is Fields {
  const fields = value as Fields | null | undefined;
  return typeof fields?.title === "string" && typeof fields.body === "string" && ["private", "team"].includes(fields.visibility);
}

function isCreation(value: unknown): value is Creation {
  const creation = value as Creation | null | undefined;
  return typeof creation?.key === "string" && typeof creation.at === "number" && isFields(creation.fields);
}

export interface Beginning {
  mine: Fields;
  /** What it is typed over; its ETag may be older than the server's. */
  base: Version | null;
  /** When the draft was typed that this begins with, null without one. */
  draftedAt: number | null;
}

/** Where writing begins: with the draft where there is one that was not saved, else with what is saved. */
export function beginningOf(current: Version | null, draft: Draft | null, empty: Fields): Beginning {
  const saved = current ? fieldsOf(current.note) : empty;
  const kept = draft && decodeDraft(draft);
  if (!draft || !kept || isSame(kept.mine, saved)) return { mine: saved, base: current, draftedAt: null };
  const isCurrent = !current || draft.base === null || draft.base === current.etag;
  const base = isCurrent ? current : { note: { ...current.note, ...(kept.base ?? {}) }, etag: draft.base! };
  return { mine: kept.mine, base, draftedAt: draft.at };
}
