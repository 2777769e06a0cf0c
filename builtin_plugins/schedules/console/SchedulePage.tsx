import { useQueryClient } from "@tanstack/react-query";
import { Pencil, Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";

import { api } from "@guildhall/console/api/client";
import { useLive } from "@guildhall/console/api/live";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { ConfirmByName } from "@guildhall/console/ui/ConfirmByName";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { Value } from "@guildhall/console/ui/Value";
import type { Schedule } from "./schedule";
import styles from "./Schedules.module.css";
import { LastStart, ScheduleSwitch, Stopped } from "./ScheduleState";
import { SCHEDULES, useRunNow, useSchedule } from "./useSchedules";
import { TimeList, useWhen } from "./When";

export function SchedulePage({ id }: { id: string }) {
  useLive(SCHEDULES, ["schedules"]);
  const schedule = useSchedule(id);
  if (schedule.isPending) return <SkeletonRows />;
  if (!schedule.data) return <ProblemNotice problem={schedule.error} onRetry={() => void schedule.refetch()} />;
  return <Shown schedule={schedule.data} />;
}

function Shown({ schedule }: { schedule: Schedule }) {
  const t = useText();
  const when = useWhen();
  const { workflow_slug: slug, cron, timezone, owner } = schedule;
  return (
    <>
      <PageHead title={when(schedule)} text={schedule.name === null ? slug : `${schedule.name} · ${slug}`}>
        <ScheduleSwitch schedule={schedule} />
        <Actions schedule={schedule} />
      </PageHead>
      {schedule.stopped && (
        <p className={styles.notice} role="note">
          <Stopped stop={schedule.stopped} />
        </p>
      )}
      <Panel title={t("schedules.next_times")}>
        {schedule.enabled && !schedule.stopped ? null : <p className={styles.muted}>{t("schedules.would_be")}</p>}
        <TimeList times={schedule.next} timezone={timezone} />
      </Panel>
      <Panel title={t("schedules.rule")}>
        <Facts
          facts={[
            [t("schedules.workflow"), <Link href={`/workflows/${slug}/steps`}>{slug}</Link>],
            ...(cron === null ? [] : ([[t("schedules.cron"), <code>{cron}</code>]] as const)),
            ...(cron === null ? [] : ([[t("schedules.timezone"), timezone]] as const)),
            [t("schedules.last"), <LastStart schedule={schedule} />],
            [t("schedules.missed"), t(`schedules.missed_${schedule.missed}`)],
            [t("schedules.overlap"), t(`schedules.overlap_${schedule.overlap}`)],
            [t("schedules.acts_as"), owner ? <span dir="auto">{owner.name ?? owner.id}</span> : t("schedules.nobody_yet")],
          ]}
        />
        {Object.keys(schedule.input).length > 0 && <Value title={t("workflows.input")} value={schedule.input} none="" />}
      </Panel>
    </>
  );
}

function Actions({ schedule: { id, source, workflow_slug: slug } }: { schedule: Schedule }) {
  const t = useText();
  const may = useMay();
  const { run, isPending } = useRunNow();
  const [, navigate] = useLocation();
  if (!may("workflows:write")) return null;
  return (
    <>
      {may("workflows:run") && (
        <Button isPending={isPending} onPress={() => run(id)}>
          <Play size={16} />
          {t("schedules.run_now")}
        </Button>
      )}
      <Button onPress={() => navigate(`/schedules/${id}/edit`)}>
        <Pencil size={16} />
        {t("action.edit")}
      </Button>
      {source === null && <Delete id={id} slug={slug} />}
    </>
  );
}

function Delete({ id, slug }: { id: string; slug: string }) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const remove = async () => {
    await api.DELETE("/api/schedules/{id}", { params: { path: { id } } });
    navigate("/schedules");
    client.removeQueries({ queryKey: ["schedules", "one", id] });
    void client.invalidateQueries({ queryKey: ["schedules"] });
    announce(t("schedules.deleted"));
  };
  return (
    <>
      <Button onPress={() => setOpen(true)}>
        <Trash2 size={16} />
        {t("action.delete")}
      </Button>
      <ConfirmByName
        title={t("schedules.delete_title")}
        text={t("schedules.delete_text")}
        name={slug}
        action={t("schedules.delete")}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={remove}
      />
    </>
  );
}
