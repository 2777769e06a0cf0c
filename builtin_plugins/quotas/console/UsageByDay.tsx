import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { useTexts } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Chart } from "@guildhall/console/ui/Chart";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useFilters } from "@guildhall/console/ui/query";
import { linesOf, type Quota } from "@guildhall/console/ui/quotas";
import { Table } from "@guildhall/console/ui/Table";
import { everyDay, type Day } from "./days";
import { limitOf, monthSoFar } from "./limits";
import styles from "./Usage.module.css";
import { loadUsage } from "./usageQueries";

const DAYS = 31;
const DAY_MS = 86_400_000;
const TOKENS = "ai.tokens.total";

/** Tokens and requests day by day, of the team or of one person in it, with the limits as lines; and the month so far. */
export function UsageByDay({ quotas }: { quotas: readonly Quota[] }) {
  const { t } = useTexts();
  const [filters, change] = useFilters();
  const { user, name } = filters;
  const usage = useQuery({
    queryKey: ["usage", "day", user],
    queryFn: () => loadUsage({ by: "day", from: new Date(Date.now() - DAYS * DAY_MS).toISOString(), limit: 200, ...(user && { user }) }),
  });
  if (usage.isLoadingError) return <ProblemNotice problem={usage.error} onRetry={() => void usage.refetch()} />;
  if (!usage.data) return null;
  const days = everyDay(linesOf(usage.data.items), Date.now());
  const hasMonth = !user && limitOf(quotas, TOKENS, "month", 1) !== null;
  return (
    <>
      {user && (
        <p className={styles.chosen}>
          {t("usage.of_person", { name: name ?? user })}
          <Button kind="quiet" onPress={() => change({ user: "", name: "" })}>
            {t("usage.of_everybody")}
          </Button>
        </p>
      )}
      {/* A limit is the team's: what one person used does not stand under it. */}
      <Days title={t("usage.by_day")} days={days} quotas={user ? [] : quotas} window="day" />
      {hasMonth && days.length > 0 && <Days title={t("usage.month_so_far")} days={monthSoFar(days)} quotas={quotas} window="month" />}
    </>
  );
}

function Days({ title, days, quotas, window }: { title: string; days: readonly Day[]; quotas: readonly Quota[]; window: "day" | "month" }) {
  const { t, locale } = useTexts();
  const [isTable, setTable] = useState(false);
  const number = new Intl.NumberFormat(locale);
  const limit = limitOf(quotas, TOKENS, window, Math.max(0, ...days.map(({ tokens }) => tokens)));
  const limitWords = limit && t(`usage.limit_${window}`, { limit: number.format(limit.value) });
  return (
    <Panel
      title={title}
      actions={
        days.length > 0 && (
          <Button kind="quiet" onPress={() => setTable(!isTable)}>
            {isTable ? t("usage.as_chart") : t("usage.as_table")}
          </Button>
        )
      }
    >
      {days.length === 0 ? (
        <EmptyState text={t("usage.nothing_yet")} />
      ) : isTable ? (
        <Table
          label={title}
          items={[...days].reverse()}
          idOf={({ date }) => date}
          columns={[
            { id: "date", name: t("usage.day"), cell: ({ at }) => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }).format(at) },
            { id: "requests", name: t("usage.ai_requests"), isFigure: true, cell: ({ requests }) => number.format(requests) },
            { id: "tokens", name: t("usage.ai_tokens"), isFigure: true, cell: ({ tokens }) => number.format(tokens) },
          ]}
        />
      ) : (
        <Chart
          label={t("usage.chart_label", { count: days.length })}
          time={t("usage.day")}
          series={[
            { label: t("usage.ai_tokens"), kind: "bars" },
            { label: t("usage.ai_requests"), kind: "line" },
          ]}
          points={days.map(({ at, tokens, requests }) => ({ at, values: [tokens, requests] }))}
          limit={limit && !limit.isFar ? { label: t("usage.limit"), value: limit.value } : undefined}
        />
      )}
      {limitWords && (
        <p className={styles.note}>
          {limitWords} {limit.isFar && t("usage.limit_far")}
        </p>
      )}
    </Panel>
  );
}
