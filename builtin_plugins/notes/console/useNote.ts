import { useQuery, useQueryClient } from "@tanstack/react-query";

import { Unreachable } from "@guildhall/console/api/problem";
import { useMay } from "@guildhall/console/session/identity";
import { readVersion } from "./calls";
import type { Version } from "./version";

/** Often enough to be told in time, seldom enough that nobody notices. */
const LOOK_EVERY_MS = 15_000;

export const noteKey = (id: string | null) => ["note", id] as const;

/** A note as the server has it, looked at again now and then while it is open and seen. */
export function useNote(id: string | null) {
  const client = useQueryClient();
  const may = useMay();
  return useQuery<Version>({
    queryKey: noteKey(id),
    queryFn: ({ signal }) => readVersion(id ?? "", may("org:read"), client.getQueryData<Version>(noteKey(id)), signal),
    enabled: id !== null,
    structuralSharing: false,
    refetchOnWindowFocus: "always",
    refetchInterval: ({ state }) => (state.error === null || state.error instanceof Unreachable ? LOOK_EVERY_MS : false),
  });
}
