/** The rules by which a bucket throws old versions and deleted files away. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import type { paths } from "@guildhall/console/api/schema";
import type { Translate } from "@guildhall/console/i18n/texts";

export type Lifecycle = paths["/api/repo-lifecycle"]["get"]["responses"]["200"]["content"]["application/json"];
export type Rule = Lifecycle["rules"][number];

const KEY = ["repo-lifecycle"];

export const useLifecycle = () => useQuery({ queryKey: KEY, queryFn: () => dataOf(api.GET("/api/repo-lifecycle")) });

/** Sets all rules at once. */
export function useSetRules() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (rules: readonly Rule[]) => dataOf(api.PUT("/api/repo-lifecycle", { body: { rules: [...rules] } })),
    onSuccess: (lifecycle) => client.setQueryData(KEY, lifecycle),
  });
}

/** What a rule throws away, and when, in a sentence or two. */
export function wordsOf(t: Translate, { old_version_days, keep_old_versions, deleted_days, empty_markers }: Rule): string {
  return [
    old_version_days !== null && t(keep_old_versions > 0 ? "s3.rule_old_but" : "s3.rule_old", { days: old_version_days, kept: keep_old_versions }),
    deleted_days !== null && t("s3.rule_deleted", { days: deleted_days }),
    empty_markers && t("s3.rule_markers"),
  ]
    .filter(Boolean)
    .join(" ");
}
