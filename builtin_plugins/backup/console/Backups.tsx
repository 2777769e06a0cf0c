import { useQuery } from "@tanstack/react-query";

import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Time } from "@guildhall/console/ui/Time";

interface Schedule {
  to: string | null;
  every_seconds: number;
  keep: number;
  encrypted: boolean;
  rehearses: boolean;
  overdue: boolean;
  last: { name: string; at: string; age_seconds: number; rehearsed: boolean } | null;
}

const FRESH_MS = 30_000;

/** How backups are made on the schedule, for operators. */
export default function Backups() {
  const t = useText();
  const schedule = useQuery({
    queryKey: ["instance", "backups"],
    queryFn: async () => (await callRow({ method: "GET", path: "/api/admin/backups" })) as Schedule,
    refetchInterval: FRESH_MS,
  });
  if (schedule.isPending) return <SkeletonRows />;
  if (schedule.isLoadingError) return <ProblemNotice problem={schedule.error} onRetry={() => void schedule.refetch()} />;
  const { to, every_seconds: every, keep, encrypted, overdue, last } = schedule.data;
  const is = (what: boolean) => t(what ? "backup.yes" : "backup.no");
  const minutes = (seconds: number) => t("backup.minutes", { minutes: Math.round(seconds / 60) });
  return (
    <>
      <PageHead title={t("backup.title")} text={t(overdue ? "backup.overdue" : "backup.about")} />
      {to === null ? (
        <EmptyState text={t("backup.off")} />
      ) : (
        <Facts
          facts={[
            [t("backup.to"), <bdi key="to">{to}</bdi>],
            [t("backup.every"), minutes(every)],
            [t("backup.keep"), keep],
            [t("backup.encrypted"), is(encrypted)],
          ]}
        />
      )}
      <Panel title={t("backup.last")}>
        {last === null ? (
          <EmptyState text={t("backup.none")} />
        ) : (
          <Facts
            facts={[
              [last.name, <Time key="at" at={last.at} />],
              [t("backup.age"), minutes(last.age_seconds)],
              [t("backup.rehearsed"), is(last.rehearsed)],
            ]}
          />
        )}
      </Panel>
    </>
  );
}
