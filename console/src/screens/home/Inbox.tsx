import { CircleX, Gauge, Inbox as InboxIcon, Languages } from "lucide-react";

import { useTexts } from "../../i18n/texts";
import { Panel } from "../../ui/Panel";
import { Time } from "../../ui/Time";
import { REVIEW_PATH, useWaitingReviews } from "../localize/useWaitingReviews";
import { Line, Lines } from "./Lines";
import styles from "./Home.module.css";
import { useFailedRuns } from "./useFailedRuns";
import { dimensionName, useTightLimits } from "./useTightLimits";

/** What waits for this person: failed runs, reviews, limits that are nearly reached. */
export function Inbox() {
  const { t, has, locale } = useTexts();
  const failed = useFailedRuns();
  const reviews = useWaitingReviews();
  const limits = useTightLimits();
  const isQuiet = failed.length === 0 && limits.length === 0 && !reviews.data?.count;
  const figure = new Intl.NumberFormat(locale, { notation: "compact" });
  return (
    <Panel title={t("nav.inbox")}>
      {isQuiet ? (
        <p className={styles.calm}>
          <InboxIcon size={16} aria-hidden="true" />
          {t("home.all_done")}
        </p>
      ) : (
        <Lines>
          {limits.map(({ dimension, used, limit, resets_at }) => (
            <Line
              key={dimension}
              path="/usage"
              icon={Gauge}
              isAlarming={used >= limit}
              title={t("home.quota_warning", {
                used: figure.format(used),
                limit: figure.format(limit),
                dimension: dimensionName(dimension, t, has),
              })}
              meta={resets_at && <Time at={resets_at} />}
            />
          ))}
          {failed.map(({ id, workflow, error, finished_at, created_at }) => (
            <Line
              key={id}
              path={`/runs/${id}`}
              icon={CircleX}
              isAlarming
              title={t("home.run_failed", { workflow: workflow.slug })}
              detail={error?.message ?? error?.code}
              meta={<Time at={finished_at ?? created_at} />}
            />
          ))}
          {Boolean(reviews.data?.count) && (
            <Line path={REVIEW_PATH} icon={Languages} title={t("home.reviews", { count: reviews.data?.count ?? 0 })} />
          )}
        </Lines>
      )}
    </Panel>
  );
}
