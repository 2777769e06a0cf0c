import { useCallback } from "react";

import { useTexts } from "../i18n/texts";

/** A permission in the reader's words; a stranger's, which the catalog may not have, is called as it is. */
export function usePermissionWords(): (permission: string) => string {
  const { t, has } = useTexts();
  return useCallback(
    (permission: string) => {
      const key = `console.may_${permission.replaceAll(/[:-]/g, "_")}`;
      return has(key) ? t(key) : permission;
    },
    [t, has],
  );
}
