import { FileText, NotebookPen } from "lucide-react";

import { useText } from "../../i18n/texts";
import { Panel } from "../../ui/Panel";
import { ProblemNotice } from "../../ui/ProblemNotice";
import { SkeletonRows } from "../../ui/Skeleton";
import { Time } from "../../ui/Time";
import { Line, Lines } from "./Lines";
import styles from "./Home.module.css";
import { pathOf, type RecentWorkState } from "./useRecentWork";

export function RecentWork({ work: { items, isPending, error, refetch } }: { work: RecentWorkState }) {
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
          {items.map((work) => (
            <Line
              key={work.id}
              path={pathOf(work)}
              icon={work.kind === "note" ? NotebookPen : FileText}
              title={work.title || t("notes.untitled")}
              meta={
                <>
                  <span className={styles.owner}>{work.owner.name} · </span>
                  <Time at={work.at} />
                </>
              }
            />
          ))}
        </Lines>
      )}
    </Panel>
  );
}
