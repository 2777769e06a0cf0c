import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";

import { useTexts } from "../../i18n/texts";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { lazyPart } from "../../ui/lazyPart";
import { Panel } from "../../ui/Panel";
import { ProblemNotice } from "../../ui/ProblemNotice";
import { Table } from "../../ui/Table";
import { everyDay } from "./days";
import { linesOf } from "./quotas";
import { loadUsage } from "./usageQueries";
import styles from "./Usage.module.css";

const DayChart = lazyPart(() => import("./DayChart"));
const DAYS = 30;
const DAY_MS = 86_400_000;

/** Tokens and requests day by day, as a chart or as the table it is drawn from. */
export function UsageByDay() {
  const { t, locale } = useTexts();
  const [isTable, setTable] = useState(false);
  const usage = useQuery({
    queryKey: ["usage", "day"],
    queryFn: () => loadUsage({ by: "day", from: new Date(Date.now() - DAYS * DAY_MS).toISOString(), limit: 200 }),
  });
  if (usage.isLoadingError) return <ProblemNotice problem={usage.error} onRetry={() => void usage.refetch()} />;
  if (!usage.data) return null;
  const days = everyDay(linesOf(usage.data.items), Date.now());
  const number = new Intl.NumberFormat(locale);
  return (
    <Panel
      title={t("usage.by_day")}
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
          label={t("usage.by_day")}
          items={[...days].reverse()}
          idOf={({ date }) => date}
          columns={[
            { id: "date", name: t("usage.day"), cell: ({ at }) => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }).format(at) },
            { id: "requests", name: t("usage.ai_requests"), isFigure: true, cell: ({ requests }) => number.format(requests) },
            { id: "tokens", name: t("usage.ai_tokens"), isFigure: true, cell: ({ tokens }) => number.format(tokens) },
          ]}
        />
      ) : (
        <Suspense fallback={<div className={styles.chart} />}>
          <DayChart days={days} />
        </Suspense>
      )}
    </Panel>
  );
}
