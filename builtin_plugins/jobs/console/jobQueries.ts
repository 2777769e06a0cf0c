import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { follow } from "@guildhall/console/api/events";
import type { paths } from "@guildhall/console/api/schema";

type JobData = paths["/api/jobs/{id}"]["get"]["responses"]["200"]["content"]["application/json"];

interface Moving {
  state: string;
}

/** How far somebody else's job is, whose events are theirs alone. */
const LOOK_AGAIN_MS = 10_000;
const UNFINISHED = new Set(["queued", "running"]);

export const isUnfinished = ({ state }: Moving) => UNFINISHED.has(state);

/** One job. That it began or ended is a change of its list; how far it is meanwhile, its own events tell its person. */
export function useJob(id: string, userId: string) {
  const client = useQueryClient();
  const isOwn = (job: { user_id: string }) => job.user_id === userId;
  const job = useQuery({
    queryKey: ["job", id],
    queryFn: () => dataOf(api.GET("/api/jobs/{id}", { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data && isUnfinished(state.data) && !isOwn(state.data) ? LOOK_AGAIN_MS : false),
  });
  const isFollowed = job.data !== undefined && isOwn(job.data) && isUnfinished(job.data);
  useEffect(() => {
    if (!isFollowed) return;
    const stop = new AbortController();
    const show = (progress: number) => client.setQueryData<JobData>(["job", id], (before) => before && { ...before, progress });
    void followProgress(id, stop.signal, show).finally(() => {
      if (!stop.signal.aborted) void client.invalidateQueries({ queryKey: ["job", id] });
    });
    return () => stop.abort();
  }, [client, id, isFollowed]);
  return job;
}

/** Tells how far a job is until it ends; where its events cannot be had, the list tells of its end. */
async function followProgress(id: string, signal: AbortSignal, show: (progress: number) => void): Promise<void> {
  try {
    for await (const { event, data } of follow(`/api/jobs/${id}/events`, "done", signal)) {
      if (event === "progress") show((JSON.parse(data) as { progress: number }).progress);
    }
  } catch {
    // Refused: too many streams, or the end was seen before.
  }
}

/** Every kind of job that a plugin brings, and those of them that one may ask for here. */
export function useJobKinds(): { all: string[]; offered: string[] } {
  const plugins = useQuery({ queryKey: ["plugins"], queryFn: () => dataOf(api.GET("/api/plugins")) });
  const kinds = (plugins.data?.items ?? []).flatMap(({ enabled, job_kinds }) => job_kinds.map((kind) => ({ ...kind, enabled })));
  const offered = kinds.filter((kind) => kind.enabled && kind.public);
  return { all: kinds.map(({ name }) => name), offered: offered.map(({ name }) => name).sort() };
}
