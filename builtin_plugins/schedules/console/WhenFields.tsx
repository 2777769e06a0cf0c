import { useDeferredValue, useMemo } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { useTexts } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { cronWords } from "./cronWords";
import { inUnits, secondsOf, SUGGESTED, timeZones, UNITS, type Schedule, type ScheduleBody, type Unit } from "./schedule";
import styles from "./Schedules.module.css";
import { useTimes } from "./useSchedules";
import { TimeList, useWhen } from "./When";

/** When a schedule comes, as it stands in the form. */
export interface Timing {
  kind: "cron" | "every";
  cron: string;
  count: string;
  unit: Unit;
  timezone: string;
}

export function firstTiming(schedule: Schedule | undefined): Timing {
  const here = new Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  const { count, unit } = inUnits(schedule?.every_seconds ?? 3_600);
  return {
    kind: schedule?.every_seconds == null ? "cron" : "every",
    cron: schedule?.cron ?? SUGGESTED[0],
    count: String(count),
    unit,
    timezone: schedule?.timezone ?? here,
  };
}

/** What is sent of it; null where it is no interval. */
export function timingBody({ kind, cron, count, unit, timezone }: Timing): Pick<ScheduleBody, "cron" | "every_seconds" | "timezone"> | null {
  if (kind === "cron") return { cron: cron.trim(), every_seconds: null, timezone };
  const seconds = secondsOf(count, unit);
  return seconds === null ? null : { every_seconds: seconds, cron: null, timezone };
}

interface WhenFieldsProps {
  timing: Timing;
  onChange: (timing: Timing) => void;
  problem: Problem | null;
}

/** A cron expression with what it means, or so many minutes; below it the times that it comes to. */
export function WhenFields({ timing, onChange, problem }: WhenFieldsProps) {
  const { t } = useTexts();
  const set = (changed: Partial<Timing>) => onChange({ ...timing, ...changed });
  const kinds = (["cron", "every"] as const).map((id) => ({ id, name: t(`schedules.by_${id}`) }));
  const asked = useDeferredValue(queryOf(timing));
  const preview = useTimes(asked);
  const previewed = preview.problem instanceof Problem ? preview.problem : null;
  const faultAt = (pointer: string) => {
    const fault = problem?.at(pointer) ?? previewed?.at(pointer);
    return fault ? { fault } : {};
  };
  return (
    <>
      <Select label={t("schedules.when")} options={kinds} value={timing.kind} onChange={(kind) => set({ kind: kind as Timing["kind"] })} />
      {timing.kind === "cron" ? (
        <CronFields timing={timing} set={set} faultAt={faultAt} />
      ) : (
        <Interval timing={timing} set={set} fault={faultAt("/every_seconds").fault} />
      )}
      {preview.times && (
        <section className={styles.preview} aria-label={t("schedules.next_times")} aria-live="polite">
          <Meaning timing={timing} />
          <TimeList times={preview.times} timezone={timing.timezone} />
        </section>
      )}
    </>
  );
}

function queryOf(timing: Timing): { cron?: string; every_seconds?: number; timezone?: string } | null {
  const { kind, cron, timezone } = timing;
  if (kind === "cron") return cron.trim() === "" ? null : { cron: cron.trim(), timezone };
  const seconds = secondsOf(timing.count, timing.unit);
  return seconds === null ? null : { every_seconds: seconds };
}

function Meaning({ timing }: { timing: Timing }) {
  const { t } = useTexts();
  const when = useWhen();
  const body = timingBody(timing);
  if (body === null) return null;
  const words = when({ cron: body.cron ?? null, every_seconds: body.every_seconds ?? null, timezone: timing.timezone });
  const isCode = words === timing.cron.trim();
  return <p className={styles.meaning}>{isCode ? t("schedules.next_times") : words}</p>;
}

interface PartProps {
  timing: Timing;
  set: (changed: Partial<Timing>) => void;
}

function CronFields({ timing, set, faultAt }: PartProps & { faultAt: (pointer: string) => { fault?: string } }) {
  const { t, locale } = useTexts();
  const zones = useMemo(() => timeZones(timing.timezone).map((id) => ({ id, name: id.replaceAll("_", " ") })), [timing.timezone]);
  return (
    <>
      <TextField label={t("schedules.cron")} help={t("schedules.cron_help")} isRequired value={timing.cron} onChange={(cron) => set({ cron })} {...faultAt("/cron")} />
      <div className={styles.suggested} role="group" aria-label={t("schedules.suggested")}>
        {SUGGESTED.map((cron) => (
          <Button key={cron} kind="quiet" onPress={() => set({ cron })}>
            {cronWords(cron, t, locale)}
          </Button>
        ))}
      </div>
      <Select label={t("schedules.timezone")} options={zones} value={timing.timezone} onChange={(timezone) => set({ timezone })} {...faultAt("/timezone")} />
    </>
  );
}

function Interval({ timing, set, fault }: PartProps & { fault: string | undefined }) {
  const { t } = useTexts();
  const units = UNITS.map(([id]) => ({ id, name: t(`schedules.unit_${id}`) }));
  const isWrong = timing.count.trim() !== "" && secondsOf(timing.count, timing.unit) === null;
  const words = isWrong ? t("schedules.interval_fault") : fault;
  return (
    <div className={styles.interval}>
      <TextField label={t("schedules.every")} isRequired inputMode="decimal" value={timing.count} onChange={(count) => set({ count })} {...(words && { fault: words })} />
      <Select label={t("schedules.unit")} options={units} value={timing.unit} onChange={(unit) => set({ unit: unit as Unit })} />
    </div>
  );
}
