import { useState } from "react";
import { Link } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useTexts } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Table } from "@guildhall/console/ui/Table";
import { Time } from "@guildhall/console/ui/Time";
import styles from "./FireList.module.css";
import type { Fire, TriggerWithFires } from "./trigger";

/** What became of each version that a trigger matched, newest first. */
export function FireList({ trigger }: { trigger: TriggerWithFires }) {
  const { t } = useTexts();
  const older = useOlder(trigger);
  const newest = new Set(trigger.fires.map(({ id }) => id));
  const fires = [...trigger.fires, ...older.fires.filter(({ id }) => !newest.has(id))];
  return (
    <Panel title={t("triggers.fires")}>
      {fires.length === 0 ? (
        <p className={styles.none}>{t("triggers.no_fires")}</p>
      ) : (
        <Table
          label={t("triggers.fires")}
          items={fires}
          idOf={({ id }) => id}
          columns={[
            { id: "file", name: t("triggers.file"), cell: (fire) => <File fire={fire} /> },
            { id: "outcome", name: t("triggers.outcome"), cell: (fire) => <Outcome fire={fire} /> },
            { id: "at", name: t("triggers.at"), cell: ({ at }) => <Time at={at} /> },
          ]}
        />
      )}
      {older.problem !== null && <ProblemNotice problem={older.problem} onRetry={() => void older.load()} />}
      {older.hasMore && (
        <Button isPending={older.isLoading} onPress={() => void older.load()}>
          {t("action.show_more")}
        </Button>
      )}
    </Panel>
  );
}

function File({ fire: { object_id: id, key, version } }: { fire: Fire }) {
  const { t } = useTexts();
  const may = useMay();
  const name = key ?? t("triggers.hidden_file");
  return (
    <span dir="auto" className={styles.file}>
      {key !== null && may("files:read") ? <Link href={`/files/${id}`}>{name}</Link> : name}{" "}
      <span className={styles.none}>{t("workflows.version", { version })}</span>
    </span>
  );
}

function Outcome({ fire: { run_id: run, reason } }: { fire: Fire }) {
  const { t } = useTexts();
  if (run) {
    return (
      <Link href={`/runs/${run}`}>
        <StateMark state="succeeded" text={t("triggers.started")} />
      </Link>
    );
  }
  return <StateMark state="cancelled" text={t("triggers.skipped", { reason: reason ? t(`triggers.reason_${reason}`) : "" })} />;
}

/** The pages behind the first, which is looked at again by itself. */
function useOlder({ id, fires_cursor: first }: TriggerWithFires) {
  const [fires, setFires] = useState<Fire[]>([]);
  const [cursor, setCursor] = useState<string | null | undefined>(undefined);
  const [isLoading, setLoading] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const next = cursor === undefined ? first : cursor;
  const load = async () => {
    if (!next) return;
    setLoading(true);
    setProblem(null);
    try {
      const query = { fires_cursor: next };
      const page = await dataOf(api.GET("/api/doc-triggers/{id}", { params: { path: { id }, query } }));
      setFires((before) => [...before, ...page.fires]);
      setCursor(page.fires_cursor);
    } catch (cause) {
      setProblem(cause);
    } finally {
      setLoading(false);
    }
  };
  return { fires, load, isLoading, problem, hasMore: Boolean(next) };
}
