import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Time } from "@guildhall/console/ui/Time";
import type { StoredObject } from "../objects";
import styles from "./Document.module.css";

interface Derivation {
  object_id: string;
  key: string;
  run_id: string | null;
  step: string | null;
}

/** What an object was made from and by which run, what was made from it, and the runs that read it. */
export function Provenance({ object }: { object: StoredObject }) {
  const t = useText();
  const may = useMay();
  const made = useQuery({
    queryKey: ["file-processing", object.id, object.version],
    queryFn: () => dataOf(api.GET("/api/repo-obj/{id}/processing", { params: { path: { id: object.id } } })),
  });
  if (made.isError) {
    return (
      <Panel title={t("files.provenance")}>
        <ProblemNotice problem={made.error} onRetry={() => void made.refetch()} />
      </Panel>
    );
  }
  if (!made.data) return null;
  const { sources, derived, runs } = made.data;
  const mayOpenRuns = may("workflows:read");
  return (
    <Panel title={t("files.provenance")}>
      {sources.length === 0 ? (
        <p className={styles.quiet}>{t("files.uploaded_by", { name: object.owner.name })}</p>
      ) : (
        <Derivations title={t("files.made_from")} items={sources} mayOpenRuns={mayOpenRuns} />
      )}
      {derived.length > 0 && <Derivations title={t("files.derived")} items={derived} mayOpenRuns={mayOpenRuns} />}
      {runs.length > 0 && (
        <div>
          <h3 className={styles.small}>{t("files.runs")}</h3>
          <ul className={styles.plainList}>
            {runs.map((run) => (
              <li key={run.id} className={styles.run}>
                {mayOpenRuns ? <Link href={`/runs/${run.id}`}>{workflowName(run.workflow)}</Link> : <span>{workflowName(run.workflow)}</span>}
                <StateMark state={run.state} />
                <span className={styles.quiet}>
                  <Time at={run.created_at} />
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Panel>
  );
}

function Derivations({ title, items, mayOpenRuns }: { title: string; items: readonly Derivation[]; mayOpenRuns: boolean }) {
  const t = useText();
  return (
    <div>
      <h3 className={styles.small}>{title}</h3>
      <ul className={styles.plainList}>
        {items.map(({ object_id, key, run_id, step }) => (
          <li key={`${object_id}.${run_id}.${step}`} className={styles.derivation}>
            <Link href={`/files/${object_id}`} dir="auto">
              {key}
            </Link>
            {step && (
              <span className={styles.quiet}>
                {t("files.by_step", { step })}
                {run_id && mayOpenRuns && (
                  <>
                    {" · "}
                    <Link href={`/runs/${run_id}`}>{t("files.run_open")}</Link>
                  </>
                )}
              </span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function workflowName(workflow: unknown): string {
  const { name, slug } = (workflow ?? {}) as { name?: unknown; slug?: unknown };
  return typeof name === "string" ? name : typeof slug === "string" ? slug : "";
}
