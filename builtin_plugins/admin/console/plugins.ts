import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import type { paths } from "@guildhall/console/api/schema";
import { useTexts } from "@guildhall/console/i18n/texts";

interface Listed {
  items: paths["/api/plugins"]["get"]["responses"]["200"]["content"]["application/json"]["items"];
}
export type Plugin = Listed["items"][number];

/** All plugins, with what they are called and do in the reader's language where the catalog has words for it. */
export function usePlugins() {
  const { t, has } = useTexts();
  const select = useCallback(
    ({ items }: Listed) => {
      const say = (key: string, own: string) => (has(key) ? t(key) : own);
      const worded = (plugin: Plugin): Plugin => {
        const key = plugin.id.replaceAll("-", "_");
        return { ...plugin, name: say(`plugins.name_${key}`, plugin.name), description: say(`plugins.about_${key}`, plugin.description) };
      };
      return { items: items.map(worded) };
    },
    [t, has],
  );
  return useQuery({ queryKey: ["plugins"], queryFn: () => dataOf(api.GET("/api/plugins")), select });
}
