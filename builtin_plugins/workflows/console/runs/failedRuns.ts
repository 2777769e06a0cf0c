/** One's own failed runs, as home lists them: what failed alike is one line, and what was dismissed is none. */

import type { Dismissed } from "@guildhall/console/screens/define";

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
