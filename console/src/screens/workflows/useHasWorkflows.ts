import { useQuery } from "@tanstack/react-query";

import { api, dataOf } from "../../api/client";

/** Whether the team has workflows turned on; null until that is known. */
export function useHasWorkflows(): boolean | null {
  const features = useQuery({
    queryKey: ["features"],
    queryFn: () => dataOf(api.GET("/api/features")),
    staleTime: 60_000,
  });
  if (!features.data) return features.isError ? true : null;
  return features.data.items.some(({ name, enabled }) => name === "workflows" && enabled);
}
