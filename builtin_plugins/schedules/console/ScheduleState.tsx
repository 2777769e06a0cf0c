import { Link } from "wouter";

import { useText, useTexts } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Switch } from "@guildhall/console/ui/Switch";
import { Time } from "@guildhall/console/ui/Time";
import type { Schedule } from "./schedule";
import styles from "./Schedules.module.css";
import { useTurn } from "./useSchedules";
import { useWhen } from "./When";

/** On or off, and off too where it has stopped; whoever may not change it sees which. */
export function ScheduleSwitch({ schedule }: { schedule: Schedule }) {
  const t = useText();
  const may = useMay();
  const turn = useTurn();
  const when = useWhen();
  const isOn = schedule.enabled && schedule.stopped === null;
  if (!may("workflows:write")) return <StateMark state={isOn ? "on" : "off"} />;
  return (
    <span className={styles.switch}>
      <Switch
        isSelected={isOn}
        onChange={(enabled) => turn({ id: schedule.id, enabled })}
        aria-label={t("schedules.switch", { workflow: schedule.workflow_slug, when: when(schedule) })}
      >
        {isOn ? t("state.on") : t("state.off")}
      </Switch>
    </span>
  );
}

/** Why it cannot go on, in the reader's language where the reason is a known one. */
export function Stopped({ stop: { code, message, at } }: { stop: NonNullable<Schedule["stopped"]> }) {
  const { t, has } = useTexts();
  const key = `schedules.stop_${code}`;
  return (
    <span className={styles.stopped}>
      <StateMark state="failed" text={t("schedules.stopped")} />
      <span>{has(key) ? t(key) : message}</span>
      <Time at={at} />
    </span>
  );
}

/** The run that it started last, or why there was none. */
export function LastStart({ schedule: { last_run_id: run, last_at: at, last_skipped: skipped } }: { schedule: Schedule }) {
  const t = useText();
  if (run === null && skipped === null) return <span className={styles.muted}>{t("state.never")}</span>;
  return (
    <span className={styles.last}>
      {run !== null && at !== null && (
        <Link href={`/runs/${run}`}>
          <Time at={at} />
        </Link>
      )}
      {skipped !== null && <StateMark state="cancelled" text={t(`schedules.skipped_${skipped}`)} />}
    </span>
  );
}
