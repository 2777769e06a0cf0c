import { useQuery } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import { useTexts } from "@guildhall/console/i18n/texts";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { activityOf, type Metrics } from "./metrics";

const FRESH_MS = 15_000;

/** All figures of the instance, which are asked for once for every plugin. */
export function useMetrics() {
  return useQuery({ queryKey: ["instance", "metrics"], queryFn: loadMetrics, refetchInterval: FRESH_MS });
}

async function loadMetrics(): Promise<Metrics> {
  const answered = await dataOf(api.GET("/api/metrics"));
  return typeof answered === "string" ? [] : answered.items;
}

/** What a plugin has done since the start of the server: calls, errors, their time, and jobs. */
export function PluginActivity({ id }: { id: string }) {
  const { t, locale } = useTexts();
  const metrics = useMetrics();
  const figure = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  return (
    <Panel title={t("plugins.activity")}>
      {metrics.isPending && <SkeletonRows count={3} />}
      {metrics.isLoadingError && <ProblemNotice problem={metrics.error} onRetry={() => void metrics.refetch()} />}
      {metrics.data && <Figures of={activityOf(metrics.data, id)} figure={figure} />}
    </Panel>
  );
}

function Figures({ of, figure }: { of: ReturnType<typeof activityOf>; figure: Intl.NumberFormat }) {
  const { t } = useTexts();
  return (
    <Facts
      facts={[
        [t("plugins.calls"), figure.format(of.calls)],
        [t("plugins.calls_failed"), figure.format(of.failed)],
        [t("plugins.calls_refused"), figure.format(of.refused)],
        [t("plugins.mean_time"), of.meanMs === null ? "–" : t("plugins.ms", { ms: figure.format(of.meanMs) })],
        [t("plugins.jobs_run"), figure.format(of.jobs)],
        [t("plugins.jobs_failed"), figure.format(of.failedJobs)],
      ]}
    />
  );
}
