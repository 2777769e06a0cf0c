import { useCallback } from "react";

import { useTexts } from "@guildhall/console/i18n/texts";

/** An action of the audit trail, `noun.verb`, in the reader's words; one that has none in its own. */
export function useActionWords(): (action: string) => string {
  const { t, has } = useTexts();
  return useCallback(
    (action: string) => {
      const key = `audit.did_${action.replaceAll(".", "_")}`;
      return has(key) ? t(key) : ownWords(action);
    },
    [t, has],
  );
}

export function ownWords(action: string): string {
  const words = action.replaceAll("_", " ").split(".").join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
