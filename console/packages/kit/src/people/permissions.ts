import { useCallback } from "react";

import { useTexts } from "../i18n/texts";
import { useUi } from "../screens/pages";

/** A permission in the reader's words; a stranger's, which the catalog may not have, in its plugin's own. */
export function usePermissionWords(): (permission: string) => string {
  const { t, has } = useTexts();
  const said = useUi().data?.words.permissions as Readonly<Record<string, string>> | undefined;
  return useCallback(
    (permission: string) => {
      const key = `console.may_${permission.replaceAll(/[:-]/g, "_")}`;
      return has(key) ? t(key) : (said?.[permission] ?? permission);
    },
    [t, has, said],
  );
}
