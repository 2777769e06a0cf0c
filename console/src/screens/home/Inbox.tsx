import { CircleX, Gauge, Inbox as InboxIcon, Languages, X } from "lucide-react";

import { useTexts } from "../../i18n/texts";
import { Button } from "../../ui/Button";
import { Panel } from "../../ui/Panel";
import { reasonWords } from "../../ui/faultWords";
import { Time } from "../../ui/Time";
import { useAnnounce } from "../../ui/Toasts";
import { REVIEW_PATH, useWaitingReviews } from "../localize/useWaitingReviews";
import { Line, Lines } from "./Lines";
import type { FailureGroup } from "./failedRuns";
import styles from "./Home.module.css";
import { useFailedRuns } from "./useFailedRuns";
import { dimensionName, useTightLimits } from "./useTightLimits";

/** What waits for this person: runs of theirs that failed, reviews, limits that are nearly reached. */
export function Inbox() {
  const { t, has, locale } = useTexts();
  const failed = useFailedRuns();
  const reviews = useWaitingReviews();
  const limits = useTightLimits();
  const announce = useAnnounce();
  const dismiss = (group: FailureGroup) => announce(t("home.dismissed"), failed.dismiss(group));
  const isQuiet = failed.groups.length === 0 && limits.length === 0 && !reviews.data?.count;
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
          {failed.groups.map((group) => {
            const title = t("home.runs_failed", { workflow: group.slug, count: group.count });
            return (
              <Line
                key={group.key}
                path={group.count > 1 ? `/runs?state=failed&workflow=${encodeURIComponent(group.slug)}` : `/runs/${group.newest}`}
                icon={CircleX}
                isAlarming
                title={title}
                detail={group.words && reasonWords(t, group.words)}
                meta={<Time at={group.at} />}
                action={
                  <Button kind="quiet" aria-label={t("home.dismiss", { title })} onPress={() => dismiss(group)}>
                    <X size={16} aria-hidden="true" />
                  </Button>
                }
              />
            );
          })}
          {Boolean(reviews.data?.count) && (
            <Line path={REVIEW_PATH} icon={Languages} title={t("home.reviews", { count: reviews.data?.count ?? 0 })} />
          )}
        </Lines>
      )}
    </Panel>
  );
}
