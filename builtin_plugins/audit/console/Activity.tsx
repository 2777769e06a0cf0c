import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useActionWords } from "./actionWords";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import type { RecentItem } from "@guildhall/console/screens/define";
import { Time } from "@guildhall/console/ui/Time";
import { inRows } from "./activity";
import styles from "./Activity.module.css";

const MAX_SHOWN = 6;
/** As many as one bulk upload may well be. */
const LOOKED_AT = 100;

/** Who did what lately, for those who may read the audit trail. What it was done to is named where it is at hand. */
export function Activity({ work }: { work: readonly RecentItem[] }) {
  const t = useText();
  const actionWords = useActionWords();
  const events = useQuery({
    queryKey: ["audit", "recent"],
    queryFn: () => dataOf(api.GET("/api/audit", { params: { query: { limit: LOOKED_AT } } })),
  });
  return (
    <Panel title={t("home.activity")} actions={<Link href="/audit">{t("nav.audit")}</Link>}>
      {events.isLoadingError ? (
        <ProblemNotice problem={events.error} onRetry={() => void events.refetch()} />
      ) : events.isPending ? (
        <SkeletonRows count={6} />
      ) : events.data.items.length === 0 ? (
        <p className={styles.calm}>{t("audit.empty")}</p>
      ) : (
        <ol className={styles.events}>
          {inRows(events.data.items).slice(0, MAX_SHOWN).map(({ id, actor, action, target, at, times }) => (
            <li key={id} className={styles.event}>
              <span className={styles.who} dir="auto">
                {actor.name}
              </span>
              <span className={styles.when}>
                <Time at={at} />
              </span>
              <span className={styles.what}>
                <span title={action}>{actionWords(action)}</span>
                {times > 1 ? ` · ${t("home.activity_times", { count: times })}` : <Target work={work.find((item) => item.id === target.id)} />}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

function Target({ work }: { work: RecentItem | undefined }) {
  if (!work?.title) return null;
  return (
    <>
      {" · "}
      <Link href={work.path} dir="auto">
        {work.title}
      </Link>
    </>
  );
}
