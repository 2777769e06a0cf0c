import { useQuery } from "@tanstack/react-query";

import { useVersionBytes } from "../content";

/** What a reader makes of a version's bytes; a file that is broken is said to be, and not tried again. */
export function useOffice<Read>(kind: string, id: string, version: number, read: (bytes: ArrayBuffer) => Promise<Read>) {
  const bytes = useVersionBytes(id, version);
  const content = useQuery({
    queryKey: ["file-office", kind, id, version],
    queryFn: () => read(bytes.data as ArrayBuffer),
    enabled: bytes.data !== undefined,
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  });
  return { bytes, content };
}
