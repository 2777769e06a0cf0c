import { useInfiniteQuery, useQuery, type QueryKey } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";

interface Moving {
  state: string;
}
interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

const LOOK_AGAIN_MS = 2_000;
const UNFINISHED = new Set(["queued", "running"]);

export const isUnfinished = ({ state }: Moving) => UNFINISHED.has(state);

/** As `usePages`, looked at again as long as something in it is not over. */
export function useLivePages<Item extends Moving>(key: QueryKey, load: (cursor: { cursor?: string }) => Promise<Page<Item>>) {
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => load(pageParam ? { cursor: pageParam } : {}),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) => (state.data?.pages.some((page) => page.items.some(isUnfinished)) ? LOOK_AGAIN_MS : false),
  });
}

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
