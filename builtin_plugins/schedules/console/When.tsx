import { useTexts } from "@guildhall/console/i18n/texts";
import { relativeTime } from "@guildhall/console/ui/Time";
import { capital, cronWords } from "./cronWords";
import { inUnits, type Schedule } from "./schedule";
import styles from "./Schedules.module.css";

type Timing = Pick<Schedule, "cron" | "every_seconds" | "timezone">;

/** When a schedule comes, in words, or as its expression where there are none. */
export function useWhen(): (timing: Timing) => string {
  const { t, locale } = useTexts();
  return ({ cron, every_seconds: seconds }) => {
    if (cron !== null) return cronWords(cron, t, locale) ?? cron;
    const { count, unit } = inUnits(seconds ?? 1);
    return capital(t(`schedules.every_${unit}`, { count }), locale);
  };
}

/** The next times: the first at a glance, all of them as one opens it. */
export function NextTimes({ times, timezone }: { times: readonly string[]; timezone: string }) {
  const { t } = useTexts();
  const { ago } = useMoments(timezone);
  const [first] = times;
  if (first === undefined) return null;
  return (
    <details className={styles.next}>
      <summary aria-label={t("schedules.next_times_from", { time: ago(first) })}>{ago(first)}</summary>
      <TimeList times={times} timezone={timezone} />
    </details>
  );
}

/** Moments on the clocks of the schedule's own zone. */
export function TimeList({ times, timezone }: { times: readonly string[]; timezone: string }) {
  const { exact } = useMoments(timezone);
  return (
    <ol className={styles.times}>
      {times.map((at) => (
        <li key={at}>
          <time dateTime={at}>{exact(at)}</time>
        </li>
      ))}
    </ol>
  );
}

function useMoments(timezone: string) {
  const { locale } = useTexts();
  return { exact: (at: string) => formatIn(timezone, locale).format(new Date(at)), ago: (at: string) => relativeTime(new Date(at), new Date(), locale) };
}

function formatIn(timeZone: string, locale: string): Intl.DateTimeFormat {
  const options = { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short" } as const;
  try {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone });
  } catch {
    // A zone that this browser does not know yet.
    return new Intl.DateTimeFormat(locale, options);
  }
}
