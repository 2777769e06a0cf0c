import { useMutation, useQueryClient } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { usePeople } from "@guildhall/console/people/usePeople";
import { useIdentity, useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { CopyButton } from "@guildhall/console/ui/CopyButton";
import { reasonWords } from "@guildhall/console/ui/faultWords";
import { Facts } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { ProgressBar } from "@guildhall/console/ui/ProgressBar";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { isUnfinished, useJob } from "./jobQueries";
import { remedyOf } from "./jobWords";
import { useKindWords } from "./useKindWords";
import styles from "./Team.module.css";

/** One job: how far it is, and what came of it. What went in and out is its own person's to see. */
export function JobDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const t = useText();
  const may = useMay();
  const announce = useAnnounce();
  const client = useQueryClient();
  const { user } = useIdentity();
  const nameOf = usePeople();
  const kindWords = useKindWords();
  const job = useJob(id, user.id);
  const cancel = useMutation({
    mutationFn: () => dataOf(api.POST("/api/jobs/{id}/cancel", { params: { path: { id } } })),
    onSuccess: (after) => {
      client.setQueryData(["job", id], after);
      announce(t("jobs.cancelled"));
    },
    onSettled: () => void client.invalidateQueries({ queryKey: ["jobs"] }),
  });
  if (job.isPending) return <SkeletonRows />;
  if (job.isLoadingError) return <ProblemNotice problem={job.error} onRetry={() => void job.refetch()} />;
  const found = job.data;
  const isOwn = found.user_id === user.id;
  const time = (at: string | null) => (at ? <Time at={at} /> : t("state.none"));
  return (
    <section className={styles.detail} aria-label={kindWords(found)}>
      <div className={styles.detailHead}>
        <h2>{kindWords(found)}</h2>
        <div className={styles.line}>
          {found.state === "queued" && (isOwn || may("settings:manage")) && (
            <Button isPending={cancel.isPending} onPress={() => cancel.mutate()}>
              {t("jobs.cancel")}
            </Button>
          )}
          <Button kind="quiet" onPress={onClose}>
            {t("action.close")}
          </Button>
        </div>
      </div>
      {cancel.isError && <ProblemNotice problem={cancel.error} />}
      <StateMark state={found.state} />
      {found.error && (
        <div className={styles.failure} role="note">
          {found.error.message && <bdi>{reasonWords(t, found.error.message)}</bdi>}
          <span>
            <strong>{t("runs.what_to_do")}</strong> {t(remedyOf(found.error.code))}
          </span>
          <code>{found.error.code}</code>
        </div>
      )}
      {isUnfinished(found) && found.progress !== null && <ProgressBar label={t("jobs.progress")} value={found.progress} />}
      <Facts
        facts={[
          [
            "Id",
            <span key="id" className={styles.copied}>
              <span className={styles.code}>{found.id}</span>
              <CopyButton text={found.id} name="Id" />
            </span>,
          ],
          [t("jobs.kind"), <code key="kind">{found.kind}</code>],
          [t("jobs.asked_by"), <bdi key="by">{nameOf(found.user_id)}</bdi>],
          ...(found.run_at ? ([[t("jobs.not_before"), time(found.run_at)]] as const) : []),
          [t("jobs.attempts"), t("jobs.attempt", { attempt: found.attempt, max: found.max_attempts })],
          [t("jobs.executor"), found.executor ?? t("state.none")],
          [t("list.created"), time(found.created_at)],
          [t("jobs.started"), time(found.started_at)],
          [t("jobs.finished"), time(found.finished_at)],
        ]}
      />
      {isOwn ? (
        <>
          <Json title={t("jobs.payload")} value={found.payload} />
          {found.result !== null && <Json title={t("jobs.result")} value={found.result} />}
        </>
      ) : (
        <p className={styles.text}>{t("jobs.not_yours")}</p>
      )}
    </section>
  );
}

function Json({ title, value }: { title: string; value: unknown }) {
  return (
    <div className={styles.stack}>
      <h3 className={styles.small}>{title}</h3>
      <pre className={styles.json} tabIndex={0} aria-label={title}>
        {JSON.stringify(value, null, 2)}
      </pre>
    </div>
  );
}
