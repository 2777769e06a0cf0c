import { useCallback } from "react";

import { useText } from "../i18n/texts";
import { useUi } from "../screens/pages";
import { nameKeyOf } from "./quotas";

/** What is counted, in the reader's words; a stranger's dimension in those of its plugin, or by its name. */
export function useDimensionName(): (dimension: string) => string {
  const t = useText();
  const said = useUi().data?.words.dimensions as Readonly<Record<string, string>> | undefined;
  return useCallback(
    (dimension: string) => {
      const key = nameKeyOf(dimension);
      return key ? t(key) : (said?.[dimension] ?? dimension);
    },
    [t, said],
  );
}
