import { Inbox as InboxIcon } from "lucide-react";
import { Suspense } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Contained } from "@guildhall/console/screens/Boundary";
import { useScreens } from "@guildhall/console/screens/shown";
import { Lines } from "@guildhall/console/ui/Lines";
import { Panel } from "@guildhall/console/ui/Panel";
import styles from "./Home.module.css";

/** What waits for this person, from whichever plugins have something to say; quiet where none has. */
export function Inbox() {
  const t = useText();
  const { shown } = useScreens();
  return (
    <Panel title={t("nav.inbox")}>
      <div className={styles.inbox}>
        <Lines>
          {shown.map(
            ({ path, inbox: Waiting }) =>
              Waiting && (
                <Contained key={path}>
                  <Suspense fallback={null}>
                    <Waiting />
                  </Suspense>
                </Contained>
              ),
          )}
        </Lines>
        <p className={styles.calm}>
          <InboxIcon size={16} aria-hidden="true" />
          {t("home.all_done")}
        </p>
      </div>
    </Panel>
  );
}
