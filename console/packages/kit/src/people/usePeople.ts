import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";

import { api, dataOf } from "../api/client";
import { useIdentity } from "../session/identity";

/** Names the people of the team by their ids; somebody who left is shown by theirs. */
export function usePeople(): (id: string) => string {
  const { user } = useIdentity();
  const members = useQuery({
    queryKey: ["members", "names"],
    queryFn: () => dataOf(api.GET("/api/members", { params: { query: { limit: 200 } } })),
    staleTime: 60_000,
  });
  const people = members.data?.items;
  return useCallback(
    (id: string) => {
      if (id === user.id) return user.display_name || user.username;
      const person = people?.find((one) => one.user_id === id);
      return person ? person.display_name || person.username : id;
    },
    [people, user],
  );
}
