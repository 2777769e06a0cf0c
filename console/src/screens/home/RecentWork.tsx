import { FileText, Files, NotebookPen } from "lucide-react";

import { useText, type Translate } from "../../i18n/texts";
import { Panel } from "../../ui/Panel";
import { ProblemNotice } from "../../ui/ProblemNotice";
import { SkeletonRows } from "../../ui/Skeleton";
import { Time } from "../../ui/Time";
import { Line, Lines } from "./Lines";
import styles from "./Home.module.css";
import { pathOf, type Work } from "./recentWork";
import type { RecentWorkState } from "./useRecentWork";

const ICONS = { note: NotebookPen, file: FileText, files: Files };

function titleOf({ kind, title, count = 0, folder }: Work, t: Translate): string {
  if (kind !== "files") return title || t("notes.untitled");
  return folder ? t("home.files_in", { count, folder }) : t("files.count", { count });
}

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
              icon={ICONS[work.kind]}
              title={titleOf(work, t)}
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
