import { useQuery } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";

interface Moving {
  state: string;
}

const LOOK_AGAIN_MS = 2_000;
const UNFINISHED = new Set(["queued", "running"]);

export const isUnfinished = ({ state }: Moving) => UNFINISHED.has(state);

/** One job; how far it is, as long as it runs, is no change of a list. */
export function useJob(id: string) {
  return useQuery({
    queryKey: ["job", id],
    queryFn: () => dataOf(api.GET("/api/jobs/{id}", { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data && isUnfinished(state.data) ? LOOK_AGAIN_MS : false),
  });
}

/** Every kind of job that a plugin brings, and those of them that one may ask for here. */
export function useJobKinds(): { all: string[]; offered: string[] } {
  const plugins = useQuery({ queryKey: ["plugins"], queryFn: () => dataOf(api.GET("/api/plugins")) });
  const kinds = (plugins.data?.items ?? []).flatMap(({ enabled, job_kinds }) => job_kinds.map((kind) => ({ ...kind, enabled })));
  const offered = kinds.filter((kind) => kind.enabled && kind.public);
  return { all: kinds.map(({ name }) => name), offered: offered.map(({ name }) => name).sort() };
}
