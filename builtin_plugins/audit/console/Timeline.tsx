import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState, type KeyboardEvent } from "react";

import { useTexts } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useFilters } from "@guildhall/console/ui/query";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Table } from "@guildhall/console/ui/Table";
import { dayAfter, isDay, type AuditDay } from "./auditEvents";
import type { AuditTrailProps } from "./AuditTrail";
import styles from "./Audit.module.css";

/** As many as have room to be pressed. */
const DAYS = matchMedia("(max-width: 600px)").matches ? 12 : 30;

interface TimelineProps extends Pick<AuditTrailProps, "of" | "loadDays"> {
  actor: string | undefined;
}

/** How much was done on each day; a press on one shows that day alone. As bars, or as the table they are drawn from. */
export function Timeline({ of, actor, loadDays }: TimelineProps) {
  const { t, locale } = useTexts();
  const [filters, change] = useFilters();
  const [isTable, setTable] = useState(false);
  const today = new Date().toISOString().slice(0, 10);
  const last = isDay(filters.until) && filters.until < today ? filters.until : today;
  const first = dayAfter(last, 1 - DAYS);
  const span = { from: `${first}T00:00:00Z`, to: `${dayAfter(last)}T00:00:00Z` };
  const days = useQuery({
    queryKey: ["audit", of, "days", actor, span],
    queryFn: () => loadDays({ ...span, ...(actor && { actor }) }),
    placeholderData: keepPreviousData,
  });
  const date = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
  const dated = (day: string) => date.format(new Date(`${day}T00:00:00Z`));
  const count = ({ events, more }: AuditDay) => t("audit.events", { count: events, more: more ? "+" : "" });
  const isChosen = (day: string) => Boolean(filters.from ?? filters.to) && day >= (filters.from ?? day) && day <= (filters.to ?? day);
  const choose = (day: string) => (filters.from === day && filters.to === day ? change({ from: "", to: "" }) : change({ from: day, to: day }));
  return (
    <Panel
      title={t("audit.by_day")}
      actions={
        <div className={styles.moves}>
          <Button kind="quiet" onPress={() => change({ until: dayAfter(last, -DAYS) })}>
            {t("audit.earlier")}
          </Button>
          <span className={styles.span}>
            {dated(first)} – {dated(last)}
          </span>
          <Button kind="quiet" isDisabled={last >= today} onPress={() => change({ until: dayAfter(last, DAYS) })}>
            {t("audit.later")}
          </Button>
          <Button kind="quiet" onPress={() => setTable(!isTable)}>
            {t(isTable ? "usage.as_chart" : "usage.as_table")}
          </Button>
        </div>
      }
    >
      {days.isPending && <SkeletonRows count={3} />}
      {days.isLoadingError && <ProblemNotice problem={days.error} onRetry={() => void days.refetch()} />}
      {days.data &&
        (isTable ? (
          <Table<AuditDay>
            label={t("audit.by_day")}
            items={[...days.data.items].reverse()}
            idOf={({ day }) => day}
            columns={[
              { id: "day", name: t("usage.day"), cell: ({ day }) => dated(day) },
              { id: "events", name: t("audit.count"), isFigure: true, cell: count },
            ]}
          />
        ) : (
          <Bars days={days.data.items} dated={dated} count={count} isChosen={isChosen} onChoose={choose} />
        ))}
    </Panel>
  );
}

interface BarsProps {
  days: readonly AuditDay[];
  dated: (day: string) => string;
  count: (day: AuditDay) => string;
  isChosen: (day: string) => boolean;
  onChoose: (day: string) => void;
}

function Bars({ days, dated, count, isChosen, onChoose }: BarsProps) {
  const { t } = useTexts();
  const [stop, setStop] = useState<string | null>(null);
  const most = Math.max(1, ...days.map(({ events }) => events));
  const at = days.some(({ day }) => day === stop) ? stop : days.at(-1)?.day;
  // One stop for the keyboard; the arrows go from day to day, in the direction of the script.
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>) => {
    const step = { ArrowRight: "nextElementSibling", ArrowLeft: "previousElementSibling" }[event.key];
    if (!step) return;
    const isMirrored = document.documentElement.dir === "rtl";
    const item = event.currentTarget.parentElement;
    const other = (step === "nextElementSibling") !== isMirrored ? item?.nextElementSibling : item?.previousElementSibling;
    other?.querySelector("button")?.focus();
    event.preventDefault();
  };
  return (
    <ol className={styles.bars} aria-label={t("audit.by_day")}>
      {days.map((one, place) => (
        <li key={one.day}>
          <button
            type="button"
            className={styles.day}
            title={`${dated(one.day)}: ${count(one)}`}
            aria-label={`${dated(one.day)}: ${count(one)}`}
            aria-pressed={isChosen(one.day)}
            tabIndex={one.day === at ? 0 : -1}
            onFocus={() => setStop(one.day)}
            onKeyDown={onKeyDown}
            onClick={() => onChoose(one.day)}
          >
            <span className={styles.bar} style={{ height: `${one.events === 0 ? 0 : Math.max(4, (one.events / most) * 100)}%` }} />
          </button>
          {place % 5 === (days.length - 1) % 5 && (
            <span className={styles.tick} aria-hidden="true">
              {dated(one.day)}
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}
