import { Plus } from "lucide-react";
import { Link, useLocation } from "wouter";

import { useLive } from "@guildhall/console/api/live";
import { useText, useTexts } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Table } from "@guildhall/console/ui/Table";
import { Time } from "@guildhall/console/ui/Time";
import { TriggerSwitch } from "./TriggerSwitch";
import type { Trigger, TriggerPageData } from "./trigger";
import styles from "./TriggerList.module.css";
import { TRIGGERS, useTriggerPages } from "./useTriggers";

export function TriggerList() {
  const t = useText();
  const may = useMay();
  useLive(TRIGGERS, ["triggers"]);
  const [, navigate] = useLocation();
  const pages = useTriggerPages();
  const add = may("workflows:write") && (
    <Button kind="primary" onPress={() => navigate("/triggers/new")}>
      <Plus size={16} />
      {t("triggers.new")}
    </Button>
  );
  const triggers = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      <PageHead title={t("nav.triggers")} text={t("triggers.about")}>
        {add}
      </PageHead>
      {pages.isPending ? (
        <SkeletonRows />
      ) : pages.isLoadingError ? (
        <ProblemNotice problem={pages.error} onRetry={() => void pages.refetch()} />
      ) : triggers.length === 0 ? (
        <EmptyState text={t("triggers.empty")} action={add} />
      ) : (
        <>
          <Table
            label={t("nav.triggers")}
            items={triggers}
            idOf={({ id }) => id}
            columns={[
              { id: "matches", name: t("triggers.matches"), cell: (trigger) => <Matches trigger={trigger} /> },
              {
                id: "workflow",
                name: t("triggers.workflow"),
                cell: ({ workflow_slug: slug }) => <Link href={`/workflows/${slug}/steps`}>{slug}</Link>,
              },
              { id: "updated", name: t("list.updated"), cell: ({ updated_at }) => <Time at={updated_at} />, isSecondary: true },
              { id: "on", name: t("list.status"), cell: (trigger) => <TriggerSwitch trigger={trigger} /> },
            ]}
          />
          {pages.hasNextPage && (
            <Button isPending={pages.isFetchingNextPage} onPress={() => void pages.fetchNextPage()}>
              {t("action.show_more")}
            </Button>
          )}
        </>
      )}
      {pages.data?.pages[0] && <Budget budget={pages.data.pages[0].budget} />}
    </>
  );
}

function Matches({ trigger: { id, match_prefix: prefix, match_types: types } }: { trigger: Trigger }) {
  const t = useText();
  return (
    <div className={styles.matches}>
      <Link href={`/triggers/${id}`} className={styles.prefix}>
        {prefix ? <code>{prefix}</code> : t("triggers.every_key")}
      </Link>
      <span className={styles.types}>{types.length ? types.join(", ") : t("triggers.every_type")}</span>
    </div>
  );
}

/** What the runs that triggers start may still spend; spent, they are skipped. */
function Budget({ budget }: { budget: TriggerPageData["budget"] }) {
  const { t, locale } = useTexts();
  const figures = new Intl.NumberFormat(locale);
  const limited = Object.entries(budget).filter(([, one]) => one.remaining !== null);
  if (limited.length === 0) return null;
  return (
    <ul className={styles.budget}>
      {limited.map(([name, { remaining, limit }]) => (
        <li key={name}>
          {t(`triggers.budget_${name.replaceAll(".", "_")}`, {
            remaining: figures.format(remaining ?? 0),
            limit: figures.format(limit ?? 0),
          })}
        </li>
      ))}
    </ul>
  );
}
