import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useTexts } from "@guildhall/console/i18n/texts";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Table } from "@guildhall/console/ui/Table";
import { sizeWords } from "@guildhall/console/ui/figures";
import cells from "@guildhall/console/ui/Cells.module.css";
import styles from "./Instance.module.css";
import { useMetrics } from "./PluginActivity";
import { labelOf, total } from "./metrics";

const FRESH_MS = 15_000;

interface Part {
  name: string;
  isWell: boolean;
  state: string;
  detail: ReactNode;
}

/** How the instance is, part by part, and how much it holds. */
export function Status() {
  const { t, locale } = useTexts();
  const status = useQuery({ queryKey: ["instance", "status"], queryFn: () => dataOf(api.GET("/api/admin/status")), refetchInterval: FRESH_MS });
  const parts = useParts();
  if (status.isPending) return <SkeletonRows />;
  if (status.isLoadingError) return <ProblemNotice problem={status.error} onRetry={() => void status.refetch()} />;
  const { counts, version, kdf, multitenant, tls } = status.data;
  const figure = new Intl.NumberFormat(locale);
  return (
    <>
      <PageHead title={t("nav.status")} text={t("instance.status_text")} />
      <ul className={styles.tiles} aria-label={t("instance.counts")}>
        {Object.entries(counts).map(([name, count]) => (
          <li key={name} className={styles.tile}>
            <span className={styles.figure}>{figure.format(count)}</span>
            <span className={styles.of}>{t(`instance.count_${name}`)}</span>
          </li>
        ))}
      </ul>
      <Panel title={t("instance.parts")}>
        {parts === null ? (
          <SkeletonRows count={5} />
        ) : (
          <Table<Part>
            label={t("instance.parts")}
            items={parts}
            idOf={({ name }) => name}
            columns={[
              {
                id: "part",
                name: t("instance.part"),
                cell: ({ name, detail }) => (
                  <span className={cells.name}>
                    <span className={cells.strong}>{name}</span>
                    <span className={cells.muted}>{detail}</span>
                  </span>
                ),
              },
              { id: "state", name: t("list.status"), cell: ({ isWell, state }) => <StateMark state={isWell ? "on" : "failed"} text={state} /> },
            ]}
          />
        )}
      </Panel>
      <Panel title={t("instance.about")}>
        <Facts
          facts={[
            [t("instance.version"), version],
            [t("instance.kdf"), <code key="kdf">{kdf}</code>],
            [t("instance.tls"), t(`instance.tls_${tls}`)],
            [t("instance.multitenant"), t(multitenant ? "state.on" : "state.off")],
          ]}
        />
      </Panel>
    </>
  );
}

/** The parts that the server tells of; null until all of them were asked. */
function useParts(): Part[] | null {
  const { t, locale } = useTexts();
  const again = { refetchInterval: FRESH_MS };
  const status = useQuery({ queryKey: ["instance", "status"], queryFn: () => dataOf(api.GET("/api/admin/status")), ...again });
  const metrics = useMetrics();
  const executors = useQuery({ queryKey: ["executors"], queryFn: () => dataOf(api.GET("/api/executors")), ...again });
  const plugins = useQuery({ queryKey: ["plugins"], queryFn: () => dataOf(api.GET("/api/plugins")) });
  const ready = useQuery({ queryKey: ["instance", "ready"], queryFn: () => dataOf(api.GET("/ready")), retry: false, ...again });
  if (!status.data || !metrics.data || !executors.data || !plugins.data || ready.isPending) return null;
  const { secrets_at_rest: secrets, sandbox } = status.data;
  const figures = metrics.data;
  const down = executors.data.items.filter(({ health }) => health.status === "down");
  const quarantined = plugins.data.items.filter(({ status: state }) => state === "quarantined");
  const well = (isWell: boolean) => ({ isWell, state: t(isWell ? "instance.well" : "instance.unwell") });
  const wait = Math.round(total(figures, "jobs_wait_seconds"));
  return [
    { name: t("instance.part_server"), ...well(!ready.isError), detail: t("instance.processes", { count: Math.max(1, total(figures, "processes")) }) },
    {
      name: t("instance.part_database"),
      ...well(true),
      detail: `${labelOf(figures, "database_size_bytes", "dialect") ?? ""} · ${sizeWords(total(figures, "database_size_bytes"), locale)}`,
    },
    {
      name: t("instance.part_scheduler"),
      ...well(wait < 600),
      detail: [
        t("instance.jobs_now", { queued: total(figures, "jobs", { state: "queued" }), running: total(figures, "jobs", { state: "running" }) }),
        t("instance.jobs_wait", { seconds: wait }),
      ].join(" · "),
    },
    {
      name: t("instance.executors"),
      ...well(down.length === 0),
      detail: <Link href="/instance/executors">{t("instance.executors_now", { count: executors.data.items.length, down: down.length })}</Link>,
    },
    {
      name: t("nav.plugins"),
      ...well(quarantined.length === 0),
      detail: <Link href="/instance/plugins">{t("instance.plugins_now", { count: total(figures, "plugins", { status: "loaded" }), out: quarantined.length })}</Link>,
    },
    {
      name: t("instance.secrets"),
      isWell: secrets.state === "sealed",
      state: t(`instance.secrets_${secrets.state}`),
      detail: (
        <>
          {t("instance.secrets_detail", { count: secrets.secrets, cipher: secrets.cipher })} · <code>{secrets.key_id}</code>
        </>
      ),
    },
    {
      name: t("instance.part_sandbox"),
      isWell: sandbox.tier !== "C",
      state: t("instance.tier", { tier: sandbox.tier }),
      detail: t(`instance.extraction_${sandbox.extraction}`),
    },
  ];
}
