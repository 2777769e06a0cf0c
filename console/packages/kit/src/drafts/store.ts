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
    return parseDraft(localStorage.getItem(keyOf(userId, thing)));
  } catch {
    return null;
  }
}

export function writeDraft(userId: string, thing: string, draft: Draft): boolean {
  try {
    localStorage.setItem(keyOf(userId, thing), JSON.stringify(draft));
    listeners.forEach((listener) => listener());
    return true;
  } catch {
    return false;
  }
}

export function dropDraft(userId: string, thing: string): void {
  try {
    localStorage.removeItem(keyOf(userId, thing));
    listeners.forEach((listener) => listener());
  } catch {
    // Nothing was kept, then.
  }
}

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
  try {
    const begin = keyOf(userId, "");
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(begin + prefix))
      .flatMap((key) => {
        const draft = parseDraft(localStorage.getItem(key));
        return draft ? [{ thing: key.slice(begin.length), draft }] : [];
      })
      .sort((one, other) => other.draft.at - one.draft.at);
  } catch {
    return [];
  }
}

/** Forgets drafts that nobody came back to. */
export function sweepDrafts(now: number): void {
  try {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(PREFIX)) continue;
      const draft = parseDraft(localStorage.getItem(key));
      if (!draft || now - draft.at > LONGEST_DAYS * 86_400_000) localStorage.removeItem(key);
    }
  } catch {
    // Another time.
  }
}

export function parseDraft(stored: string | null): Draft | null {
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
