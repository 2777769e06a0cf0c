import { useInfiniteQuery, useMutation, useQuery, useQueryClient, type InfiniteData } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import { useProblemWords } from "@guildhall/console/ui/ProblemNotice";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { useEffect } from "react";
import type { Trigger, TriggerPageData, TriggerWithFires } from "./trigger";

const LIST = ["triggers", "list"];
/** The row whose changes tell of new triggers, of changed ones, and of what they did. */
export const TRIGGERS = "/api/doc-triggers";

export function useTriggerPages() {
  return useInfiniteQuery({
    queryKey: LIST,
    queryFn: ({ pageParam }) =>
      dataOf(api.GET("/api/doc-triggers", { params: { query: pageParam ? { cursor: pageParam } : {} } })),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor,
  });
}

/** A trigger with the newest of what it did. */
export function useTrigger(id: string) {
  return useQuery({
    queryKey: ["trigger", id],
    queryFn: () => dataOf(api.GET("/api/doc-triggers/{id}", { params: { path: { id } } })),
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
