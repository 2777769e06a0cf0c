import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { api, dataOf } from "../../api/client";
import { useShows } from "../../frame/switches";

export interface Work {
  kind: "note" | "file";
  id: string;
  title: string;
  owner: { id: string; name: string };
  at: string;
}

export interface RecentWorkState {
  items: Work[];
  isPending: boolean;
  error: unknown;
  refetch: () => void;
}

export const pathOf = ({ kind, id }: Work): string => (kind === "note" ? `/notes/${id}` : `/files/${id}`);

const MAX_SHOWN = 8;
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

type Owner = Work["owner"];

export function newest(
  notes: readonly { id: string; title: string; owner: Owner; updated_at: string }[],
  files: readonly { id: string; key: string; filename: string; owner: Owner; updated_at: string }[],
): Work[] {
  const all: Work[] = [
    ...notes.map(({ id, title, owner, updated_at }) => ({ kind: "note" as const, id, title, owner, at: updated_at })),
    ...files.map((file) => ({ kind: "file" as const, id: file.id, title: titleOf(file), owner: file.owner, at: file.updated_at })),
  ];
  return all.sort((a, b) => b.at.localeCompare(a.at)).slice(0, MAX_SHOWN);
}

/** Where it lies; a document whose key is made up goes by its name. */
const titleOf = ({ key, filename }: { key: string; filename: string }): string => (key.endsWith(filename) ? key : filename);
