import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useIdentity } from "@guildhall/console/session/identity";
import { groupFailures, readDismissed, writeDismissed, type Dismissed, type FailureGroup } from "./failedRuns";

const MAX_READ = 100;
const MAX_SHOWN = 5;
const RECENT_MS = 7 * 86_400_000;

export interface Failures {
  groups: FailureGroup[];
  /** Takes a line away on this device until it fails again; returns what brings it back. */
  dismiss: (group: FailureGroup) => () => void;
}

/** What this person started in the last week and failed. */
export function useFailedRuns(): Failures {
  const { user } = useIdentity();
  const [dismissed, setDismissed] = useState(() => readDismissed(user.id));
  const runs = useQuery({
    queryKey: ["runs", { state: "failed", limit: MAX_READ }],
    queryFn: () => dataOf(api.GET("/api/runs", { params: { query: { state: "failed", limit: MAX_READ } } })),
  });
  const since = useMemo(() => new Date(Date.now() - RECENT_MS), []);
  const groups = useMemo(
    () => groupFailures(runs.data?.items ?? [], user.id, since, dismissed).slice(0, MAX_SHOWN),
    [runs.data, user.id, since, dismissed],
  );
  const keep = (next: Dismissed) => {
    setDismissed(next);
    writeDismissed(user.id, next, since);
  };
  const dismiss = ({ key, at }: FailureGroup) => {
    keep({ ...dismissed, [key]: at });
    return () => keep(dismissed);
  };
  return { groups, dismiss };
}
