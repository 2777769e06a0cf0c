import { useMutation, useQuery, useQueryClient, type InfiniteData } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useProblemWords } from "@guildhall/console/ui/ProblemNotice";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePages } from "@guildhall/console/ui/usePages";
import type { Schedule, SchedulePageData } from "./schedule";

/** The row whose changes tell of all of them. */
export const SCHEDULES = "/api/schedules";
const LIST = ["schedules", "list"];
const keyOf = (id: string) => ["schedules", "one", id];

export const useSchedulePages = () => usePages(LIST, (query) => dataOf(api.GET("/api/schedules", { params: { query } })));

export function useSchedule(id: string) {
  return useQuery({ queryKey: keyOf(id), queryFn: () => dataOf(api.GET("/api/schedules/{id}", { params: { path: { id } } })) });
}

/** The next times of what is not saved yet; asked for anew with each change that holds for a moment. */
export function useTimes(query: { cron?: string; every_seconds?: number; timezone?: string } | null) {
  const times = useQuery({
    queryKey: ["schedule-times", query],
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, TYPING_MS));
      signal.throwIfAborted();
      return dataOf(api.GET("/api/schedule-times", { params: { query: query ?? {} }, signal }));
    },
    enabled: query !== null,
    retry: false,
    staleTime: 60_000,
  });
  return query === null ? { times: undefined, problem: null } : { times: times.data?.next, problem: times.error };
}

const TYPING_MS = 250;

/** Turns a schedule on or off: shown at once, and taken back with a word where the server refuses. */
export function useTurn() {
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: ({ id, enabled }: { id: string; enabled: boolean }) =>
      dataOf(api.PATCH("/api/schedules/{id}", { params: { path: { id } }, body: { enabled } })),
    onMutate: ({ id, enabled }) => {
      const turned = <One extends Schedule>(one: One): One => (one.id === id ? { ...one, enabled, ...(enabled && { stopped: null }) } : one);
      client.setQueryData<InfiniteData<SchedulePageData>>(LIST, (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map(turned) })) });
      client.setQueryData<Schedule>(keyOf(id), (one) => one && turned(one));
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["schedules"] }),
  });
  useSayRefusal(mutation.error);
  return mutation.mutate;
}

/** Starts the workflow of a schedule now, and follows the run. */
export function useRunNow() {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const mutation = useMutation({
    mutationFn: (id: string) => dataOf(api.POST("/api/schedules/{id}/run", { params: { path: { id } } })),
    onSuccess: (run) => {
      void client.invalidateQueries({ queryKey: ["runs"] });
      void client.invalidateQueries({ queryKey: ["schedules"] });
      navigate(`/runs/${run.id}`);
    },
  });
  useSayRefusal(mutation.error);
  return { run: (id: string) => !mutation.isPending && mutation.mutate(id), isPending: mutation.isPending };
}

function useSayRefusal(problem: unknown): void {
  const announce = useAnnounce();
  const words = useProblemWords(problem);
  useEffect(() => {
    if (problem) announce(words);
  }, [problem]);
}
