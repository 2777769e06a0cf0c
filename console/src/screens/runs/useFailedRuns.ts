import { useQuery } from "@tanstack/react-query";

import { api, dataOf } from "../../api/client";
import { useMay } from "../../session/identity";
import { useHasWorkflows } from "../workflows/useHasWorkflows";

/** The team's newest runs that failed, for whoever may see runs; each has its page at `/runs/<id>`. */
export function useFailedRuns(limit = 5) {
  const may = useMay();
  const hasWorkflows = useHasWorkflows();
  return useQuery({
    queryKey: ["runs", { state: "failed", limit }],
    queryFn: () => dataOf(api.GET("/api/runs", { params: { query: { state: "failed", limit } } })),
    select: (page) => page.items,
    enabled: hasWorkflows === true && may("workflows:read"),
  });
}
