import { useCallback } from "react";

import { useTexts } from "@guildhall/console/i18n/texts";

interface Described {
  kind: string;
  description?: string;
}

const keyOf = (kind: string) => `jobs.kind_${kind.replaceAll(/[^a-z0-9]+/g, "_")}`;

/** What a job does, in the reader's words; of a kind that has none what its plugin says, or the kind itself. */
export function useKindWords(): (job: Described) => string {
  const { t, has } = useTexts();
  return useCallback(({ kind, description }: Described) => (has(keyOf(kind)) ? t(keyOf(kind)) : description?.replace(/\.$/, "") || kind), [t, has]);
}
