import { useQuery } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";

/** Whom an object can be shared with; also how the people of the team are called. */
export function useShareTargets() {
  return useQuery({ queryKey: ["share-targets"], queryFn: () => dataOf(api.GET("/api/share-targets")), staleTime: 60_000 });
}

/** Names by id, of the team's people. */
export function usePeopleNames(): (id: string) => string | undefined {
  const targets = useShareTargets();
  return (id) => targets.data?.users.find((user) => user.id === id)?.display_name;
}
