import { useQuery } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";

/** Whether a feature is on for the team; false while nobody knows yet. */
export function useFeature(name: string): boolean {
  const features = useQuery({ queryKey: ["features"], queryFn: () => dataOf(api.GET("/api/features")), staleTime: 60_000 });
  if (features.isPending) return false;
  return !features.data?.items.some((one) => one.name === name && !one.enabled);
}
