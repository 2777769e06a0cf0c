import { useQuery } from "@tanstack/react-query";

import { api, dataOf } from "../../api/client";
import type { Translate } from "../../i18n/texts";

const TIGHT = 0.8;
const NAMES: Record<string, string> = {
  "ai.requests": "usage.ai_requests",
  "ai.tokens.total": "usage.ai_tokens",
  "ai.concurrency": "usage.ai_concurrency",
  "jobs.concurrency": "usage.jobs_concurrency",
  "storage.bytes": "usage.storage",
};

/** What a limit is of, in the reader's words where there are some. */
export function dimensionName(dimension: string, t: Translate, has: (key: string) => boolean): string {
  const key = NAMES[dimension];
  return key && has(key) ? t(key) : dimension;
}

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
