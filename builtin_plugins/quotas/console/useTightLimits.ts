import { useQuery } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";

const TIGHT = 0.8;

/** The limits of which little is left. */
export function useTightLimits() {
  const usage = useQuery({
    queryKey: ["usage", "limits"],
    queryFn: () => dataOf(api.GET("/api/usage")),
    staleTime: 60_000,
  });
  const items = typeof usage.data === "object" ? usage.data.items : [];
  return items.flatMap((item) =>
    "dimension" in item && item.limit && item.used >= TIGHT * item.limit ? [{ ...item, limit: item.limit }] : [],
  );
}
