import { useQuery } from "@tanstack/react-query";

import { useText } from "@guildhall/console/i18n/texts";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { QuotaBars } from "./QuotaBars";
import { quotasOf } from "@guildhall/console/ui/quotas";
import { TeamLimits } from "./TeamLimits";
import { UsageBy } from "./UsageBy";
import { UsageByDay } from "./UsageByDay";
import { loadUsage } from "./usageQueries";

/** What was used day by day under its limits, what is used of what is allowed, and by whom. */
export default function Usage() {
  const t = useText();
  const usage = useQuery({ queryKey: ["usage"], queryFn: () => loadUsage() });
  if (usage.isPending) return <SkeletonRows />;
  if (usage.isLoadingError) return <ProblemNotice problem={usage.error} onRetry={() => void usage.refetch()} />;
  const quotas = quotasOf(usage.data.items);
  return (
    <>
      <PageHead title={t("nav.usage")} />
      <UsageByDay quotas={quotas} />
      <TeamLimits quotas={quotas.filter(({ level }) => level === "team")} />
      <Panel title={t("usage.company")}>
        <QuotaBars quotas={quotas.filter(({ level }) => level === "org")} />
      </Panel>
      <UsageBy />
    </>
  );
}
