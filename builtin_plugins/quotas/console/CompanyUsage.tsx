import { useQuery } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { QuotaBars } from "./QuotaBars";
import { UsageByTeam } from "./UsageByTeam";
import { quotasOf } from "@guildhall/console/ui/quotas";

/** What the company may use, its teams together, and what it is. */
export function CompanyUsage() {
  const t = useText();
  const org = useQuery({ queryKey: ["org"], queryFn: () => dataOf(api.GET("/api/org")) });
  if (org.isPending) return <SkeletonRows />;
  if (org.isLoadingError) return <ProblemNotice problem={org.error} onRetry={() => void org.refetch()} />;
  const { plan, domain, suspended, teams, quotas } = org.data;
  return (
    <>
      <Panel title={t("usage.company")}>
        <QuotaBars quotas={quotasOf(quotas)} />
      </Panel>
      <UsageByTeam />
      <Panel title={t("nav.group_company")}>
        <Facts
          facts={[
            [t("instance.company_plan"), plan],
            [t("instance.company_domain"), domain ?? t("state.none")],
            [t("list.status"), <StateMark key="state" state={suspended ? "suspended" : "active"} />],
            [t("nav.teams"), t("company.teams_count", { count: teams.length })],
          ]}
        />
      </Panel>
    </>
  );
}
