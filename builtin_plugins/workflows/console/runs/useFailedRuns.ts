import { useQuery } from "@tanstack/react-query";
import { CircleX } from "lucide-react";
import { useMemo } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import type { Dismissed, Waiting } from "@guildhall/console/screens/define";
import { useIdentity } from "@guildhall/console/session/identity";
import { reasonWords } from "@guildhall/console/ui/faultWords";
import { groupFailures } from "./failedRuns";

const MAX_READ = 100;
const RECENT_MS = 7 * 86_400_000;

/** What this person started in the last week and failed, for the first page: what failed alike is one line. */
export default function useFailedRuns(dismissed: Dismissed): Waiting {
  const t = useText();
  const { user } = useIdentity();
  const runs = useQuery({
    queryKey: ["runs", { state: "failed", limit: MAX_READ }],
    queryFn: () => dataOf(api.GET("/api/runs", { params: { query: { state: "failed", limit: MAX_READ } } })),
  });
  const since = useMemo(() => new Date(Date.now() - RECENT_MS), []);
  const groups = groupFailures(runs.data?.items ?? [], user.id, since, dismissed);
  return {
    heading: "console.failed_runs",
    items: groups.map(({ key, slug, count, newest, words, at }) => ({
      id: key,
      path: count > 1 ? `/runs?state=failed&workflow=${encodeURIComponent(slug)}` : `/runs/${newest}`,
      icon: CircleX,
      isAlarming: true,
      title: t("home.runs_failed", { workflow: slug, count }),
      detail: words && reasonWords(t, words),
      at,
    })),
  };
}
