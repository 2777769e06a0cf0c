/** What was typed and not saved yet, kept on this device per person and thing until it is. */

export interface Draft {
  text: string;
  /** The ETag of what it was typed over, so that a change by somebody else is noticed. */
  base: string | null;
  at: number;
}

const PREFIX = "guildhall.draft.";
const LONGEST_DAYS = 30;

export const keyOf = (userId: string, thing: string) => `${PREFIX}${userId}.${thing}`;

export function readDraft(userId: string, thing: string): Draft | null {
  try {
    return parse(localStorage.getItem(keyOf(userId, thing)));
  } catch {
    return null;
  }
}

export function writeDraft(userId: string, thing: string, draft: Draft): boolean {
  try {
    localStorage.setItem(keyOf(userId, thing), JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

export function dropDraft(userId: string, thing: string): void {
  try {
    localStorage.removeItem(keyOf(userId, thing));
  } catch {
    // Nothing was kept, then.
  }
}

/** Forgets drafts that nobody came back to. */
export function sweepDrafts(now: number): void {
  try {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(PREFIX)) continue;
      const draft = parse(localStorage.getItem(key));
      if (!draft || now - draft.at > LONGEST_DAYS * 86_400_000) localStorage.removeItem(key);
    }
  } catch {
    // Another time.
  }
}

function parse(stored: string | null): Draft | null {
  try {
    const draft: unknown = JSON.parse(stored ?? "null");
    return isDraft(draft) ? draft : null;
  } catch {
    return null;
  }
}

function isDraft(value: unknown): value is Draft {
  const draft = value as Draft | null;
  return typeof draft === "object" && draft !== null && typeof draft.text === "string" && typeof draft.at === "number";
}
