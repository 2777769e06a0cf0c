import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { api, authorizedFetch, dataOf } from "@guildhall/console/api/client";
import { useMay } from "@guildhall/console/session/identity";
import { sessions } from "@guildhall/console/session/store";

const EVERY_MS = 10_000;
/** Who has not typed for so long looks at it, and writes no more. */
const LAST_MS = 60_000;

export interface Editor {
  user_id: string;
  name: string;
}

/** Who else writes in a note just now; says that one does oneself for as long as `times`, how often one did, grows. */
export function useEditors(id: string | null, times = 0): readonly Editor[] {
  const may = useMay();
  const scope = may("org:read") ? "org" : "team";
  const typedAt = useRef(-Infinity);
  const isTold = useRef(false);
  const found = useQuery({
    queryKey: ["note-editors", id],
    queryFn: async (): Promise<Editor[]> => {
      const path = { path: { id: id ?? "" } };
      const isTyping = performance.now() - typedAt.current < LAST_MS;
      isTold.current ||= isTyping;
      const looked = () => api.GET("/api/notes/{id}/editing", { params: { ...path, query: { scope } } });
      const { items } = await dataOf(isTyping ? api.POST("/api/notes/{id}/editing", { params: path }) : looked());
      return items;
    },
    enabled: id !== null,
    retry: false,
    gcTime: 0,
    refetchInterval: ({ state }) => (state.error === null ? EVERY_MS : false),
    refetchIntervalInBackground: true,
  });
  const { refetch } = found;
  useEffect(() => {
    if (times === 0 || id === null) return;
    const isNews = performance.now() - typedAt.current >= LAST_MS;
    typedAt.current = performance.now();
    if (isNews) void refetch();
  }, [times, id, refetch]);
  useEffect(() => {
    const stop = () => {
      if (!isTold.current || id === null || !sessions.current) return;
      isTold.current = false;
      typedAt.current = -Infinity;
      const request = new Request(`/api/notes/${encodeURIComponent(id)}/editing`, { method: "DELETE", keepalive: true });
      void authorizedFetch(request).catch(() => undefined);
    };
    window.addEventListener("pagehide", stop);
    return () => {
      window.removeEventListener("pagehide", stop);
      stop();
    };
  }, [id]);
  return found.isError ? [] : (found.data ?? []);
}
