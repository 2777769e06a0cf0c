import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { api, dataOf } from "../../api/client";
import { useShows } from "../../frame/switches";
import { MAX_SHOWN, newest, type Work } from "./recentWork";

export interface RecentWorkState {
  items: Work[];
  isPending: boolean;
  error: unknown;
  refetch: () => void;
}

// Files are listed by their keys, so the newest are picked from a page of them.
const FILES_PAGE = 100;

/** The notes and files that changed last, of those that this person may see. */
export function useRecentWork(): RecentWorkState {
  const shows = useShows();
  const notes = useQuery({
    queryKey: ["notes", "recent"],
    queryFn: () => dataOf(api.GET("/api/notes", { params: { query: { limit: MAX_SHOWN } } })),
    enabled: shows("/notes"),
  });
  const files = useQuery({
    queryKey: ["repo", "recent"],
    queryFn: () => dataOf(api.GET("/api/repo", { params: { query: { limit: FILES_PAGE } } })),
    enabled: shows("/files"),
  });
  const items = useMemo(() => newest(notes.data?.items ?? [], files.data?.items ?? []), [notes.data, files.data]);
  return {
    items,
    isPending: notes.isLoading || files.isLoading,
    error: notes.error ?? files.error,
    refetch: () => void Promise.all([notes.refetch(), files.refetch()]),
  };
}
