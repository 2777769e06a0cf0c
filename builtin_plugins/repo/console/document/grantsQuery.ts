import { useQuery } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import type { paths } from "@guildhall/console/api/schema";

export type Grant = paths["/api/repo-obj/{id}/grants"]["get"]["responses"]["200"]["content"]["application/json"]["items"][number];

export const grantsKey = (id: string) => ["file-grants", id] as const;

/** Who was given what on an object; for whoever manages it. */
export function useGrants(id: string) {
  return useQuery({
    queryKey: grantsKey(id),
    queryFn: () => dataOf(api.GET("/api/repo-obj/{id}/grants", { params: { path: { id }, query: { limit: 200 } } })),
  });
}
