import { useQuery } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import type { paths } from "@guildhall/console/api/schema";
import { useTexts } from "@guildhall/console/i18n/texts";
import { Chart } from "@guildhall/console/ui/Chart";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Table } from "@guildhall/console/ui/Table";
import { sizeWords } from "@guildhall/console/ui/figures";

const FRESH_MS = 5_000;

type ServerHealth = paths["/api/admin/health"]["get"]["responses"]["200"]["content"]["application/json"];

/** How the server is right now, in figures, charts and what keeps it busy. */
export function Health() {
  const { t, locale } = useTexts();
  const health = useQuery({ queryKey: ["instance", "health"], queryFn: () => dataOf(api.GET("/api/admin/health")), refetchInterval: FRESH_MS });
  if (health.isPending) return <SkeletonRows />;
  if (health.isLoadingError) return <ProblemNotice problem={health.error} onRetry={() => void health.refetch()} />;
  const { ready, totals, jobs, database, memory_bytes: memory, slow_statements: slow, companies } = health.data;
  const number = new Intl.NumberFormat(locale);
  const time = new Intl.DateTimeFormat(locale, { timeStyle: "medium" });
  return (
    <>
      <PageHead title={t("nav.health")} text={ready ? t("telemetry.about") : t("telemetry.unready")} />
      <Facts
        facts={[
          [t("telemetry.requests"), number.format(totals.requests)],
          [t("telemetry.streams"), number.format(totals.streams)],
          [t("telemetry.jobs_waiting"), number.format(jobs.waiting)],
          [t("telemetry.jobs_running"), number.format(jobs.running)],
          [t("telemetry.longest_wait"), t("telemetry.seconds", { seconds: Math.round(jobs.longest_wait_seconds) })],
          [t("telemetry.memory"), sizeWords(memory, locale)],
          [t("telemetry.database"), `${database.engine} · ${sizeWords(database.bytes, locale)}`],
        ]}
      />
      <Charts history={health.data.history} />
      <Panel title={t("telemetry.slow")}>
        {slow.length === 0 ? (
          <EmptyState text={t("telemetry.slow_none")} />
        ) : (
          <Table
            label={t("telemetry.slow")}
            items={slow}
            idOf={({ name, at, ms }) => `${name} ${at} ${ms}`}
            columns={[
              { id: "statement", name: t("telemetry.statement"), cell: ({ name }) => <code>{name}</code> },
              { id: "plugin", name: t("telemetry.plugin"), cell: ({ plugin }) => plugin },
              { id: "took", name: t("telemetry.took"), isFigure: true, cell: ({ ms }) => number.format(ms) },
              { id: "when", name: t("telemetry.when"), cell: ({ at }) => time.format(new Date(at)) },
            ]}
          />
        )}
      </Panel>
      <Panel title={t("telemetry.companies")}>
        {companies.length === 0 ? (
          <EmptyState text={t("telemetry.companies_none")} />
        ) : (
          <Table
            label={t("telemetry.companies")}
            items={companies}
            idOf={({ id }) => id}
            columns={[
              { id: "company", name: t("telemetry.company"), cell: ({ name }) => name },
              { id: "waiting", name: t("telemetry.jobs_waiting"), isFigure: true, cell: ({ waiting }) => number.format(waiting) },
              { id: "running", name: t("telemetry.jobs_running"), isFigure: true, cell: ({ running }) => number.format(running) },
            ]}
          />
        )}
      </Panel>
    </>
  );
}

/** Two charts of the last quarter of an hour: what callers see, and what is done behind them. */
function Charts({ history }: { history: ServerHealth["history"] }) {
  const { t } = useTexts();
  const charts = [
    {
      title: t("telemetry.requests"),
      series: [t("telemetry.requests_per_second"), t("telemetry.p95")],
      values: (one: ServerHealth["history"][number]) => [one.requests_per_second, one.p95_ms],
    },
    {
      title: t("telemetry.jobs"),
      series: [t("telemetry.jobs_per_second"), t("telemetry.failed_per_second")],
      values: (one: ServerHealth["history"][number]) => [one.jobs_per_second, one.failed_per_second],
    },
  ];
  return charts.map(({ title, series, values }) => (
    <Panel key={title} title={title}>
      {history.length < 2 ? (
        <EmptyState text={t("telemetry.history_none")} />
      ) : (
        <Chart
          label={series.join(", ")}
          time={t("telemetry.time")}
          by="minute"
          series={series.map((label) => ({ label, kind: "line" as const }))}
          points={history.map((one) => ({ at: Date.parse(one.at), values: values(one) }))}
        />
      )}
    </Panel>
  ));
}
