import { Suspense } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Contained } from "@guildhall/console/screens/Boundary";
import type { RecentWork as Work } from "@guildhall/console/screens/define";
import { useScreens } from "@guildhall/console/screens/shown";
import { useIdentity } from "@guildhall/console/session/identity";
import { PageHead } from "@guildhall/console/ui/PageHead";
import styles from "./Home.module.css";
import { RecentWork, TeamNews } from "./RecentWork";
import { StartCards } from "./StartCards";
import { useCollected } from "./useCollected";
import { Waiting } from "./Waiting";

/** Below this a team has only begun, and is told what the first things to do are for. */
const LITTLE = 4;

/** What waits for this person, what they and the team worked on, and what else plugins show here. */
export default function Home() {
  const t = useText();
  const { user, team } = useIdentity();
  const { shown } = useScreens();
  const { collectors, ...sources } = useCollected<undefined, Work>("recent", undefined);
  const found = sources.found.map(({ said }) => said);
  const work: Work = {
    items: found.flatMap(({ items }) => items).sort((one, other) => other.at.localeCompare(one.at)),
    isPending: sources.isPending || found.some(({ isPending }) => isPending),
    error: found.find(({ error }) => error)?.error ?? null,
    refetch: () => found.forEach(({ refetch }) => refetch()),
  };
  const hasLittle = !work.isPending && work.items.length < LITTLE;
  return (
    <>
      {collectors}
      <PageHead title={t("home.welcome", { name: user.display_name || user.username })} text={team.name} />
      <StartCards isShort={!hasLittle} />
      <div className={styles.columns}>
        <div>
          <Waiting />
          <RecentWork work={work} />
        </div>
        <div>
          <TeamNews items={work.items} />
          {shown.map(
            ({ path, panel: Shown }) =>
              Shown && (
                <Contained key={path}>
                  <Suspense fallback={null}>
                    <Shown work={work.items} />
                  </Suspense>
                </Contained>
              ),
          )}
        </div>
      </div>
    </>
  );
}
