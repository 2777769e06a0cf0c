import { useInfiniteQuery, useMutation, useQuery, useQueryClient, type InfiniteData } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import { useProblemWords } from "@guildhall/console/ui/ProblemNotice";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { useEffect } from "react";
import type { Trigger, TriggerPageData, TriggerWithFires } from "./trigger";

const LIST = ["triggers", "list"];
const LOOK_AGAIN_MS = 2_000;

export function useTriggerPages() {
  return useInfiniteQuery({
    queryKey: LIST,
    queryFn: ({ pageParam }) =>
      dataOf(api.GET("/api/doc-triggers", { params: { query: pageParam ? { cursor: pageParam } : {} } })),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
  });
}

/** A trigger with the newest of what it did; looked at again now and then, as files arrive at any time. */
export function useTrigger(id: string) {
  return useQuery({
    queryKey: ["trigger", id],
    queryFn: () => dataOf(api.GET("/api/doc-triggers/{id}", { params: { path: { id } } })),
    refetchInterval: LOOK_AGAIN_MS,
  });
}

/** Turns a trigger on or off: shown at once, and taken back with a word where the server refuses. */
export function useSwitch() {
  const client = useQueryClient();
  const announce = useAnnounce();
  const show = (id: string, enabled: boolean) => {
    client.setQueryData<InfiniteData<TriggerPageData>>(LIST, (before) => before && switchedIn(before, id, enabled));
    client.setQueryData<TriggerWithFires>(["trigger", id], (before) => before && { ...before, enabled });
  };
  const mutation = useMutation({
    mutationFn: ({ id, enabled }: { id: string; enabled: boolean }) =>
      dataOf(api.PATCH("/api/doc-triggers/{id}", { params: { path: { id } }, body: { enabled } })),
    onMutate: ({ id, enabled }) => show(id, enabled),
    onError: (_, { id, enabled }) => show(id, !enabled),
    onSettled: (_, __, { id }) => {
      void client.invalidateQueries({ queryKey: LIST });
      void client.invalidateQueries({ queryKey: ["trigger", id] });
    },
  });
  const words = useProblemWords(mutation.error);
  useEffect(() => {
    if (mutation.error) announce(words);
  }, [mutation.error]);
  return mutation.mutate;
}

function switchedIn(data: InfiniteData<TriggerPageData>, id: string, enabled: boolean): InfiniteData<TriggerPageData> {
  const one = (trigger: Trigger): Trigger => (trigger.id === id ? { ...trigger, enabled } : trigger);
  return { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map(one) })) };
}
