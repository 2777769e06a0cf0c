import { Plus } from "lucide-react";
import { Link, useLocation } from "wouter";

import { useLive } from "@guildhall/console/api/live";
import { useText } from "@guildhall/console/i18n/texts";
import { usePluginName } from "@guildhall/console/screens/pages";
import { useMay } from "@guildhall/console/session/identity";
import { ActionMenu, type Action } from "@guildhall/console/ui/ActionMenu";
import { Button } from "@guildhall/console/ui/Button";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Table } from "@guildhall/console/ui/Table";
import { isOffered, type Schedule } from "./schedule";
import styles from "./Schedules.module.css";
import { LastStart, ScheduleSwitch, Stopped } from "./ScheduleState";
import { SCHEDULES, useRunNow, useSchedulePages } from "./useSchedules";
import { NextTimes, useWhen } from "./When";

export function ScheduleList() {
  const t = useText();
  const may = useMay();
  useLive(SCHEDULES, ["schedules"]);
  const [, navigate] = useLocation();
  const pages = useSchedulePages();
  const add = may("workflows:write") && (
    <Button kind="primary" onPress={() => navigate("/schedules/new")}>
      <Plus size={16} />
      {t("schedules.new")}
    </Button>
  );
  const schedules = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  const own = schedules.filter((one) => !isOffered(one));
  const offered = schedules.filter(isOffered);
  return (
    <>
      <PageHead title={t("nav.schedules")} text={t("schedules.about")}>
        {add}
      </PageHead>
      {pages.isPending ? (
        <SkeletonRows />
      ) : pages.isLoadingError ? (
        <ProblemNotice problem={pages.error} onRetry={() => void pages.refetch()} />
      ) : (
        <>
          {own.length > 0 ? <Own schedules={own} /> : <EmptyState text={t("schedules.empty")} action={add} />}
          {offered.length > 0 && <Offered schedules={offered} />}
          {pages.hasNextPage && (
            <Button isPending={pages.isFetchingNextPage} onPress={() => void pages.fetchNextPage()}>
              {t("action.show_more")}
            </Button>
          )}
        </>
      )}
    </>
  );
}

function Own({ schedules }: { schedules: readonly Schedule[] }) {
  const t = useText();
  const when = useWhen();
  const actions = useActions();
  return (
    <Table
      label={t("nav.schedules")}
      items={schedules}
      idOf={({ id }) => id}
      columns={[
        { id: "when", name: t("schedules.when"), cell: (schedule) => <When schedule={schedule} /> },
        {
          id: "next",
          name: t("schedules.next"),
          cell: (one) => (one.enabled && !one.stopped ? <NextTimes times={one.next} timezone={one.timezone} /> : <span className={styles.muted}>{t("state.never")}</span>),
        },
        { id: "last", name: t("schedules.last"), cell: (schedule) => <LastStart schedule={schedule} />, isSecondary: true },
        { id: "on", name: t("list.status"), cell: (schedule) => <ScheduleSwitch schedule={schedule} /> },
      ]}
      actions={(schedule) => <ActionMenu of={`${when(schedule)}, ${schedule.workflow_slug}`} actions={actions(schedule)} />}
    />
  );
}

function When({ schedule }: { schedule: Schedule }) {
  const words = useWhen()(schedule);
  return (
    <div className={styles.when}>
      <Link href={`/schedules/${schedule.id}`}>{words}</Link>
      <span className={styles.muted}>
        <Link href={`/workflows/${schedule.workflow_slug}/steps`}>{schedule.workflow_slug}</Link>
        {schedule.cron !== null && ` · ${schedule.timezone}`}
      </span>
      {schedule.stopped && <Stopped stop={schedule.stopped} />}
    </div>
  );
}

/** What plugins bring: nothing of it runs until somebody turns it on, and then as them. */
function Offered({ schedules }: { schedules: readonly Schedule[] }) {
  const t = useText();
  const nameOf = usePluginName();
  return (
    <div className={styles.offered}>
      <Panel title={t("schedules.offered")}>
        <p className={styles.muted}>{t("schedules.offered_about")}</p>
        <Table
          label={t("schedules.offered")}
          items={schedules}
          idOf={({ id }) => id}
          columns={[
            { id: "name", name: t("list.name"), cell: (schedule) => <Link href={`/schedules/${schedule.id}`}>{schedule.name}</Link> },
            { id: "plugin", name: t("schedules.plugin"), cell: ({ source }) => nameOf(source ?? ""), isSecondary: true },
            { id: "workflow", name: t("schedules.workflow"), cell: ({ workflow_slug: slug }) => <Link href={`/workflows/${slug}/steps`}>{slug}</Link>, isSecondary: true },
            { id: "when", name: t("schedules.when"), cell: (schedule) => <OfferedWhen schedule={schedule} /> },
            { id: "on", name: t("list.status"), cell: (schedule) => <ScheduleSwitch schedule={schedule} /> },
          ]}
        />
      </Panel>
    </div>
  );
}

const OfferedWhen = ({ schedule }: { schedule: Schedule }) => useWhen()(schedule);

function useActions(): (schedule: Schedule) => Action[] {
  const t = useText();
  const may = useMay();
  const { run } = useRunNow();
  const [, navigate] = useLocation();
  return ({ id }) => {
    if (!may("workflows:write")) return [];
    const edit = { id: "edit", name: t("action.edit"), onAction: () => navigate(`/schedules/${id}/edit`) };
    return may("workflows:run") ? [{ id: "run", name: t("schedules.run_now"), onAction: () => run(id) }, edit] : [edit];
  };
}
