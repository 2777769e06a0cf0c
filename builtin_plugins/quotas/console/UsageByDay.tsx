import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { useTexts } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Chart } from "@guildhall/console/ui/Chart";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Table } from "@guildhall/console/ui/Table";
import { everyDay } from "./days";
import { linesOf } from "@guildhall/console/ui/quotas";
import { loadUsage } from "./usageQueries";

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
        <Chart
          label={t("usage.chart_label", { count: days.length })}
          time={t("usage.day")}
          series={[
            { label: t("usage.ai_tokens"), kind: "bars" },
            { label: t("usage.ai_requests"), kind: "line" },
          ]}
          points={days.map(({ at, tokens, requests }) => ({ at, values: [tokens, requests] }))}
        />
      )}
    </Panel>
  );
}
