import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { draftAll } from "./draftAll";

export interface Drafting {
  /** Null while nothing is drafted. */
  progress: { done: number; total: number } | null;
  problem: unknown;
  start: (missing: number) => void;
  stop: () => void;
}

const WAIT_SECONDS = 20;

/** Drafts what is missing in a language, batch by batch, for as long as somebody looks on; a batch goes on alone. */
export function useDrafting(locale: string): Drafting {
  const client = useQueryClient();
  const [progress, setProgress] = useState<Drafting["progress"]>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const running = useRef<AbortController | null>(null);
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const run = useCallback(
    (total: number, signal: AbortSignal) =>
      draftAll(total, {
        queue: () => dataOf(api.POST("/api/l10n/draft", { body: { locale } })),
        ended: (id) => ended(id, signal),
        onDone: (done) => setProgress({ done, total: Math.max(total, done) }),
        onBatch: () => void client.invalidateQueries({ queryKey: ["l10n"] }),
      }),
    [client, locale],
  );

  const start = useCallback(
    (missing: number) => {
      const control = new AbortController();
      running.current = control;
      setProblem(null);
      setProgress({ done: 0, total: missing });
      run(missing, control.signal)
        .catch((cause: unknown) => !control.signal.aborted && setProblem(cause))
        .finally(() => {
          setProgress(null);
          void client.invalidateQueries({ queryKey: ["l10n"] });
        });
    },
    [client, run],
  );
  return { progress, problem, start, stop };
}

/** Waits until a job has ended, however. */
async function ended(id: string, signal: AbortSignal) {
  while (!signal.aborted) {
    const params = { path: { id }, query: { wait: WAIT_SECONDS } };
    const job = await dataOf(api.GET("/api/jobs/{id}", { params, signal }));
    if (job.state !== "queued" && job.state !== "running") return job;
  }
  return null;
}
