import { Link } from "wouter";

import { useTexts } from "@guildhall/console/i18n/texts";
import { CopyButton } from "@guildhall/console/ui/CopyButton";
import { Time } from "@guildhall/console/ui/Time";
import { documentsMadeBy } from "./documents";
import { Failure } from "./Failure";
import type { Run } from "./run";
import styles from "./RunFacts.module.css";
import { Took } from "./Took";
import { usePeople } from "@guildhall/console/people/usePeople";

/** What started a run by itself tells which sort it is by its id. */
const SCHEDULE = "sch_";

function Cause({ id }: { id: string }) {
  const { t } = useTexts();
  if (id.startsWith(SCHEDULE)) return <Link href={`/schedules/${id}`}>{t("runs.by_schedule")}</Link>;
  return <Link href={`/triggers/${id}`}>{t("runs.by_trigger")}</Link>;
}

/** Who started a run and how, how long it took, what it made, and why it failed, unless the open step explains that. */
export function RunFacts({ run, isExplained, onStep }: { run: Run; isExplained: boolean; onStep: (name: string) => void }) {
  const { t } = useTexts();
  const nameOf = usePeople();
  const made = documentsMadeBy(run);
  const { slug, version } = run.workflow;
  return (
    <>
      <ul className={styles.facts}>
        <li dir="auto">{t("runs.started_by", { name: nameOf(run.created_by) })}</li>
        {run.trigger_id && (
          <li>
            <Cause id={run.trigger_id} />
          </li>
        )}
        {run.retry_of && (
          <li>
            <Link href={`/runs/${run.retry_of}`}>{t("runs.again_of")}</Link>
          </li>
        )}
        <li>
          <Link href={`/workflows/${slug}/steps`}>{slug}</Link> {t("workflows.version", { version })}
        </li>
        <li>
          <Time at={run.created_at} />
        </li>
        <li>
          <Took from={run.created_at} until={run.finished_at} />
        </li>
        <li>{t("runs.jobs_used", { used: run.steps_used, most: run.max_steps })}</li>
        <li className={styles.id}>
          <code>{run.id}</code>
          <CopyButton text={run.id} name={run.id} />
        </li>
      </ul>
      {run.error && !isExplained && (
        <Failure error={run.error} slug={slug}>
          {run.error.step !== null && (
            <button type="button" className={styles.step} onClick={() => onStep(run.error?.step ?? "")}>
              {t("runs.step", { name: run.error.step })}
            </button>
          )}
        </Failure>
      )}
      {made.length > 0 && (
        <p className={styles.made}>
          {t("runs.made")}{" "}
          {made.map(({ id, name }, index) => (
            <span key={id}>
              {index > 0 && ", "}
              <Link href={`/files/${id}`} dir="auto">
                {name}
              </Link>
            </span>
          ))}
        </p>
      )}
    </>
  );
}
