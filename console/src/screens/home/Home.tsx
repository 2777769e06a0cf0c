import { useText } from "../../i18n/texts";
import { useIdentity, useMay } from "../../session/identity";
import { PageHead } from "../../ui/PageHead";
import { Activity } from "./Activity";
import styles from "./Home.module.css";
import { Inbox } from "./Inbox";
import { RecentWork } from "./RecentWork";
import { StartCards } from "./StartCards";
import { useRecentWork } from "./useRecentWork";

/** Below this a team has only begun, and is told what the first things to do are for. */
const LITTLE = 4;

/** What waits for this person, what the team worked on, and who did what. */
export function Home() {
  const t = useText();
  const may = useMay();
  const { user } = useIdentity();
  const work = useRecentWork();
  const hasLittle = !work.isPending && work.items.length < LITTLE;
  return (
    <>
      <PageHead title={t("home.welcome", { name: user.display_name || user.username })} />
      <StartCards isShort={!hasLittle} />
      <div className={styles.columns}>
        <div>
          <Inbox />
          <RecentWork work={work} />
        </div>
        {may("settings:manage") && <Activity work={work.items} />}
      </div>
    </>
  );
}
