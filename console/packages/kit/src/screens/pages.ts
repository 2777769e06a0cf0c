/** The screens and pages that plugins bring to the console, as far as this person may use them. */

import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";

import { api, dataOf } from "../api/client";
import type { paths } from "../api/schema";
import { useTexts } from "../i18n/texts";
import { useSession } from "../session/identity";
import { sessions } from "../session/store";

export type Ui = paths["/api/ui"]["get"]["responses"]["200"]["content"]["application/json"];
export type ListedPage = Ui["items"][number];

/** The screens and pages of plugins; asked for with the first of what a session asks for. */
export function useUi() {
  const session = useSession();
  return useQuery({
    queryKey: ["ui", session ? sessions.generation : null],
    queryFn: () => dataOf(api.GET("/api/ui")),
    enabled: session !== null,
    staleTime: 60_000,
  });
}

/** A plugin's own words: a key of its catalog in the reader's language, anything else as it is. */
export function usePluginText(): (text: string) => string {
  const { t, has } = useTexts();
  return useCallback((text: string) => (has(text) ? t(text) : text), [t, has]);
}

/** What a plugin is called in the reader's language, by its id. */
export function usePluginName(): (id: string) => string {
  const { t, has } = useTexts();
  return useCallback(
    (id: string) => {
      const key = `plugins.name_${id.replaceAll("-", "_")}`;
      return has(key) ? t(key) : id;
    },
    [t, has],
  );
}
