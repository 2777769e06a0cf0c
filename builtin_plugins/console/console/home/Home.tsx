import { Suspense } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Contained } from "@guildhall/console/screens/Boundary";
import { useScreens } from "@guildhall/console/screens/shown";
import { useIdentity } from "@guildhall/console/session/identity";
import { PageHead } from "@guildhall/console/ui/PageHead";
import styles from "./Home.module.css";
import { Inbox } from "./Inbox";
import { RecentWork } from "./RecentWork";
import { StartCards } from "./StartCards";
import { useRecentWork } from "./useRecentWork";

/** Below this a team has only begun, and is told what the first things to do are for. */
const LITTLE = 4;

/** What waits for this person, what the team worked on, and what else plugins show here. */
export default function Home() {
  const t = useText();
  const { user } = useIdentity();
  const { shown } = useScreens();
  const { work, collectors } = useRecentWork();
  const hasLittle = !work.isPending && work.items.length < LITTLE;
  return (
    <>
      {collectors}
      <PageHead title={t("home.welcome", { name: user.display_name || user.username })} />
      <StartCards isShort={!hasLittle} />
      <div className={styles.columns}>
        <div>
          <Inbox />
          <RecentWork work={work} />
        </div>
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
    </>
  );
}
