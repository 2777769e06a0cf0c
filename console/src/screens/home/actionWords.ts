import { useCallback } from "react";

import { useTexts } from "../../i18n/texts";

/** An action of the audit trail, `noun.verb`, in the reader's words; a plugin's own in the trail's. */
export function useActionWords(): (action: string) => string {
  const { t, has } = useTexts();
  return useCallback(
    (action) => {
      const name = action.replaceAll(".", "_");
      return has(`activity.${name}`) ? t(`activity.${name}`) : asWords(action);
    },
    [t, has],
  );
}

function asWords(action: string): string {
  const words = action.replaceAll(/[._]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
