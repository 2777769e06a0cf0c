import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { follow } from "@guildhall/console/api/events";
import { Problem } from "@guildhall/console/api/problem";
import { RunProgress, type StepEvent } from "./progress";
import type { Run } from "./run";

/** Events come faster than a page needs to be drawn. */
const DRAWN_EVERY_MS = 80;
const AGAIN_MS = 2_000;
const TOO_MANY = 429;

/** A run, and as long as it goes on its progress, whatever becomes of the connection meanwhile. */
export function useRun(id: string) {
  const client = useQueryClient();
  const run = useQuery({
    queryKey: ["run", id],
    queryFn: () => dataOf(api.GET("/api/runs/{id}", { params: { path: { id } } })),
  });
  const isRunning = run.data?.state === "running";
  const [isAway, setAway] = useState(false);

  useEffect(() => {
    if (!isRunning) return;
    const stop = new AbortController();
    const progress = new RunProgress();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      client.setQueryData<Run>(["run", id], (before) => before && (before.state === "running" ? progress.of(before) : before));
    };
    const take = (event: string, data: string) => {
      setAway(false);
      if (event === "step") {
        progress.take(JSON.parse(data) as StepEvent);
        timer ??= setTimeout(draw, DRAWN_EVERY_MS);
      } else if (event === "done") {
        clearTimeout(timer);
        client.setQueryData<Run>(["run", id], JSON.parse(data) as Run);
        void client.invalidateQueries({ queryKey: ["runs"] });
      }
    };
    void following(id, stop.signal, take, setAway).then((isRefused) => {
      // The end was seen by another connection, or this one is not wanted: the run itself says which.
      if (isRefused && !stop.signal.aborted) void client.invalidateQueries({ queryKey: ["run", id] });
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [client, id, isRunning]);
  return { run, isAway };
}

/** Follows a run to its end; a server that is away or not ready yet is asked again. */
async function following(
  id: string,
  signal: AbortSignal,
  take: (event: string, data: string) => void,
  setAway: (isAway: boolean) => void,
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      for await (const { event, data } of follow(`/api/runs/${id}/events`, "done", signal)) take(event, data);
      return false;
    } catch (cause) {
      if (!(cause instanceof Problem) || (cause.status < 500 && cause.status !== TOO_MANY)) return true;
      setAway(cause.status !== TOO_MANY);
      await new Promise((resolve) => setTimeout(resolve, (cause.retryAfter ?? 0) * 1_000 || AGAIN_MS));
    }
  }
  return false;
}
