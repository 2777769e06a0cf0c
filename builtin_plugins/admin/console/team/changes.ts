/** Who last switched what, from the audit trail. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { api, dataOf } from "@guildhall/console/api/client";

export interface Change {
  by: string;
  at: string;
  enabled: boolean;
}

const LOOKED_AT = 200;

/** The newest change of each thing by its name; those long ago are not looked for. */
export function useLastChanges(action: string): Map<string, Change> {
  const events = useQuery({
    queryKey: ["audit", "changes", action],
    queryFn: () => dataOf(api.GET("/api/audit", { params: { query: { action, limit: LOOKED_AT } } })),
  });
  return useMemo(() => {
    const newest = new Map<string, Change>();
    for (const { target, actor, at, detail } of events.data?.items ?? []) {
      if (target.id && !newest.has(target.id)) newest.set(target.id, { by: actor.name, at, enabled: (detail as { enabled?: boolean }).enabled === true });
    }
    return newest;
  }, [events.data]);
}
