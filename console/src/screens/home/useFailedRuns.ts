import { useQuery } from "@tanstack/react-query";

import { api, dataOf } from "../../api/client";
import { useShows } from "../../frame/switches";

const MAX_SHOWN = 5;
const RECENT_MS = 7 * 86_400_000;

/** The runs of the last week that failed, for whoever is shown runs. */
export function useFailedRuns() {
  const isShown = useShows()("/runs");
  const runs = useQuery({
    queryKey: ["runs", { state: "failed", limit: MAX_SHOWN }],
    queryFn: () => dataOf(api.GET("/api/runs", { params: { query: { state: "failed", limit: MAX_SHOWN } } })),
    enabled: isShown,
  });
  const since = Date.now() - RECENT_MS;
  return (runs.data?.items ?? []).filter(({ created_at }) => new Date(created_at).getTime() > since);
}
