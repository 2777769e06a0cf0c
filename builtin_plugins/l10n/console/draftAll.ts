/** Drafting a whole language, batch by batch. */

import { Problem } from "@guildhall/console/api/problem";

interface Batch {
  jobs: readonly string[];
  remaining: number;
}

interface EndedJob {
  state: string;
  error?: { message: string | null } | null;
}

export interface Draftsman {
  /** Queues drafts of what is missing and not under way. */
  queue: () => Promise<Batch>;
  /** Waits until a job has ended, however; null where nobody waits any more. */
  ended: (id: string) => Promise<EndedJob | null>;
  onDone: (done: number) => void;
  onBatch: () => void;
}

/** Drafts `total` messages. What failed is missing still: it is not asked for again without end. */
export async function draftAll(total: number, { queue, ended, onDone, onBatch }: Draftsman): Promise<void> {
  for (let done = 0; ; ) {
    const { jobs, remaining } = await queue();
    const reasons: (string | null | undefined)[] = [];
    for (const id of jobs) {
      const job = await ended(id);
      if (job === null) return;
      if (job.state !== "succeeded") reasons.push(job.error?.message);
      done += 1;
      onDone(done);
    }
    onBatch();
    const reason = reasons.find(Boolean);
    if (reason && reasons.length === jobs.length) throw new Problem({ title: reason, status: 502, detail: reason, code: "draft_failed" });
    if (jobs.length === 0 || remaining === 0 || done >= total) return;
  }
}
