import { useText } from "@guildhall/console/i18n/texts";
import type { RecentItem, RecentWork as Work } from "@guildhall/console/screens/define";
import { useIdentity } from "@guildhall/console/session/identity";
import { Line, Lines } from "@guildhall/console/ui/Lines";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Time } from "@guildhall/console/ui/Time";
import styles from "./Home.module.css";

const MAX_SHOWN = 6;

/** What this person worked on last; what the others did is news. */
export function RecentWork({ work: { items, isPending, error, refetch } }: { work: Work }) {
  const t = useText();
  const { user } = useIdentity();
  const own = items.filter(({ owner }) => owner.id === user.id);
  return (
    <Panel title={t("home.recent")}>
      {error ? (
        <ProblemNotice problem={error} onRetry={refetch} />
      ) : isPending ? (
        <SkeletonRows count={4} />
      ) : own.length === 0 ? (
        <p className={styles.calm}>{t("console.no_work")}</p>
      ) : (
        <Items items={own.slice(0, MAX_SHOWN)} />
      )}
    </Panel>
  );
}

/** What is new in the team, of others; not there where nothing is. */
export function TeamNews({ items }: { items: readonly RecentItem[] }) {
  const t = useText();
  const { user } = useIdentity();
  const news = items.filter(({ owner }) => owner.id !== user.id).slice(0, MAX_SHOWN);
  if (news.length === 0) return null;
  return (
    <Panel title={t("console.team_news")}>
      <Items items={news} areOfOthers />
    </Panel>
  );
}

function Items({ items, areOfOthers }: { items: readonly RecentItem[]; areOfOthers?: boolean }) {
  return (
    <Lines>
      {items.map(({ id, path, icon, title, owner, at }) => (
        <Line key={id} path={path} icon={icon} title={title} detail={areOfOthers ? owner.name : undefined} meta={<Time at={at} />} />
      ))}
    </Lines>
  );
}
