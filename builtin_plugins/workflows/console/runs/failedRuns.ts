/** One's own failed runs, as home lists them: what failed alike is one line, and what was dismissed is none. */

export interface FailedRun {
  id: string;
  workflow: { slug: string };
  error: { code: string; message: string | null } | null;
  created_by: string;
  created_at: string;
  finished_at: string | null;
}

export interface FailureGroup {
  /** The workflow and what was wrong: what it is dismissed by. */
  key: string;
  slug: string;
  words: string | undefined;
  /** How often, and of these the newest. */
  count: number;
  newest: string;
  at: string;
}

/** By the key of a group, the moment up to which its failures were dismissed. */
export type Dismissed = Record<string, string>;

const endOf = (run: FailedRun) => run.finished_at ?? run.created_at;

/** Runs of one person that failed after a moment, newest first, those of one workflow with one error together. */
export function groupFailures(runs: readonly FailedRun[], person: string, since: Date, dismissed: Dismissed): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const run of runs) {
    const at = endOf(run);
    const words = run.error?.message ?? run.error?.code;
    const key = JSON.stringify([run.workflow.slug, words ?? ""]);
    if (run.created_by !== person || new Date(at) <= since || at <= (dismissed[key] ?? "")) continue;
    const group = groups.get(key);
    if (!group) groups.set(key, { key, slug: run.workflow.slug, words, count: 1, newest: run.id, at });
    else groups.set(key, { ...group, count: group.count + 1, ...(at > group.at && { newest: run.id, at }) });
  }
  return [...groups.values()].sort((a, b) => b.at.localeCompare(a.at));
}

const KEY = "guildhall.dismissed.";

export function readDismissed(person: string): Dismissed {
  try {
    return (JSON.parse(localStorage.getItem(KEY + person) ?? "null") as Dismissed | null) ?? {};
  } catch {
    return {};
  }
}

/** Keeps what was dismissed on this device, without what is too old to be shown again. */
export function writeDismissed(person: string, dismissed: Dismissed, since: Date): void {
  const kept = Object.entries(dismissed).filter(([, at]) => new Date(at) > since);
  try {
    localStorage.setItem(KEY + person, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // Gone with this page, then.
  }
}
