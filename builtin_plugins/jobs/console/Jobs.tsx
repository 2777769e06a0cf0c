import { Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { useLocation, useRoute } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useLive } from "@guildhall/console/api/live";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { useFilters } from "@guildhall/console/ui/query";
import { RowList, RowMeta, RowTitle } from "@guildhall/console/ui/RowList";
import { Select } from "@guildhall/console/ui/Select";
import { Spans } from "@guildhall/console/ui/Spans";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Time } from "@guildhall/console/ui/Time";
import { usePages } from "@guildhall/console/ui/usePages";
import { JobDetail } from "./JobDetail";
import { useJobKinds } from "./jobQueries";
import { aboutOf } from "./jobWords";
import { NewJob } from "./NewJob";
import { useKindWords } from "./useKindWords";
import styles from "./Team.module.css";

const STATES = ["queued", "running", "succeeded", "failed", "cancelled"] as const;
const ANY = "any";

/** Work in the background, newest first, live. */
export function Jobs() {
  const t = useText();
  const may = useMay();
  const [isAsking, setAsking] = useState(false);
  const id = useRoute("/jobs/:id?")[1]?.id;
  const [, navigate] = useLocation();
  const [filters, change] = useFilters();
  const kinds = useJobKinds();
  const { state, kind } = filters;
  const query = { ...(state && { state: state as (typeof STATES)[number] }), ...(kind && { kind }) };
  useLive("/api/jobs", ["jobs"], ["job"]);
  const jobs = usePages(["jobs", query], (cursor) => dataOf(api.GET("/api/jobs", { params: { query: { ...cursor, ...query } } })));
  const kindWords = useKindWords();
  const first = jobs.data?.pages[0]?.items;
  const spans = useMemo(
    () => (first ?? []).map((job) => ({ id: job.id, name: kindWords(job), state: job.state, from: job.started_at ?? job.created_at, until: job.finished_at })),
    [first, kindWords],
  );
  const search = new URLSearchParams(query).toString();
  const suffix = search ? `?${search}` : "";
  const any = { id: ANY, name: t("list.all") };
  const known = [...new Set([...kinds.all, ...(kind ? [kind] : [])])].sort();
  const ask = may("chat:use") && kinds.offered.length > 0 && (
    <Button kind="primary" onPress={() => setAsking(true)}>
      <Plus size={16} aria-hidden="true" />
      {t("jobs.new")}
    </Button>
  );
  return (
    <div className={styles.split} data-open={id ? "" : undefined}>
      <section className={styles.list}>
        <PageHead title={t("nav.jobs")} text={t("jobs.empty")}>
          {ask}
        </PageHead>
        <div className={styles.filters}>
          <Select
            label={t("list.status")}
            options={[any, ...STATES.map((one) => ({ id: one, name: t(`state.${one}`) }))]}
            value={state ?? ANY}
            onChange={(value) => change({ state: value === ANY ? "" : value })}
          />
          <Select
            label={t("jobs.kind")}
            options={[any, ...known.map((id) => ({ id, name: kindWords({ kind: id }) }))]}
            value={kind ?? ANY}
            onChange={(value) => change({ kind: value === ANY ? "" : value })}
          />
          {suffix && (
            <Button kind="quiet" onPress={() => change({ state: "", kind: "" })}>
              {t("action.clear_filters")}
            </Button>
          )}
        </div>
        <Spans label={t("jobs.when")} spans={spans} onOpen={(job) => navigate(`/jobs/${job}${suffix}`)} />
        <RowList
          label={t("nav.jobs")}
          pages={jobs}
          idOf={(job) => job.id}
          openId={id ?? null}
          onOpen={(job) => navigate(`/jobs/${job.id}${suffix}`)}
          empty={suffix ? { text: t("list.no_matches") } : { text: t("jobs.none"), action: ask }}
          row={(job) => (
            <>
              <span className={styles.state}>
                <StateMark state={job.state} />
              </span>
              <RowTitle>
                {kindWords(job)}
                <bdi className={styles.about}>{job.error ? (job.error.message ?? job.error.code) : aboutOf(job.payload)}</bdi>
              </RowTitle>
              {job.progress !== null && job.state === "running" && <RowMeta>{Math.round(job.progress * 100)} %</RowMeta>}
              {job.state === "queued" && job.run_at && (
                <RowMeta>
                  {t("jobs.not_before")} <Time at={job.run_at} />
                </RowMeta>
              )}
              <RowMeta>
                <Time at={job.created_at} />
              </RowMeta>
            </>
          )}
        />
      </section>
      {isAsking && (
        <NewJob
          kinds={kinds.offered}
          onClose={() => setAsking(false)}
          onMade={(made) => {
            setAsking(false);
            navigate(`/jobs/${made}${suffix}`);
          }}
        />
      )}
      {id && <JobDetail key={id} id={id} onClose={() => navigate(`/jobs${suffix}`)} />}
    </div>
  );
}
