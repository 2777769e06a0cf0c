import { useText } from "@guildhall/console/i18n/texts";
import type { RecentWork as Work } from "@guildhall/console/screens/define";
import { Line, Lines } from "@guildhall/console/ui/Lines";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Time } from "@guildhall/console/ui/Time";
import styles from "./Home.module.css";

export function RecentWork({ work: { items, isPending, error, refetch } }: { work: Work }) {
  const t = useText();
  return (
    <Panel title={t("home.recent")}>
      {error ? (
        <ProblemNotice problem={error} onRetry={refetch} />
      ) : isPending ? (
        <SkeletonRows count={4} />
      ) : items.length === 0 ? (
        <p className={styles.calm}>{t("home.no_work")}</p>
      ) : (
        <Lines>
          {items.map(({ id, path, icon, title, owner, at }) => (
            <Line
              key={id}
              path={path}
              icon={icon}
              title={title}
              meta={
                <>
                  <span className={styles.owner}>{owner.name} · </span>
                  <Time at={at} />
                </>
              }
            />
          ))}
        </Lines>
      )}
    </Panel>
  );
}
