import { CircleCheck, X, type LucideIcon } from "lucide-react";
import { useState, type ReactNode } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import type { Dismissed, Waiting as Kind, WaitingItem } from "@guildhall/console/screens/define";
import { usePluginText } from "@guildhall/console/screens/pages";
import { useIdentity } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Line, Lines } from "@guildhall/console/ui/Lines";
import { Panel } from "@guildhall/console/ui/Panel";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { isDismissed, useDismissed } from "./dismissed";
import styles from "./Home.module.css";
import { useCollected } from "./useCollected";

type Item = WaitingItem & { icon: LucideIcon };

/** So many of a kind are shown at first. */
const FEW = 3;

/** What waits for this person, from whichever plugins have something to say, kind by kind; quiet where none has. */
export function Waiting() {
  const t = useText();
  const { user } = useIdentity();
  const [dismissed, dismiss] = useDismissed(user.id);
  const { found, collectors } = useCollected<Dismissed, Kind>("waiting", dismissed);
  const kinds = new Map<string, Item[]>();
  for (const { icon, said: { heading, items } } of found) {
    const left = items.filter((item) => !isDismissed(item, dismissed)).map((item) => ({ icon, ...item }));
    // Of one kind may be what several plugins have.
    if (left.length > 0) kinds.set(heading, [...(kinds.get(heading) ?? []), ...left]);
  }
  return (
    <Panel title={t("console.waiting")}>
      {collectors}
      {[...kinds].map(([heading, items]) => (
        <KindOf key={heading} heading={heading} items={items} dismiss={dismiss} />
      ))}
      {kinds.size === 0 && (
        <p className={styles.calm}>
          <CircleCheck size={16} aria-hidden="true" />
          {t("home.all_done")}
        </p>
      )}
    </Panel>
  );
}

interface KindOfProps {
  heading: string;
  items: readonly Item[];
  dismiss: (item: WaitingItem) => () => void;
}

function KindOf({ heading, items, dismiss }: KindOfProps): ReactNode {
  const t = useText();
  const say = usePluginText();
  const announce = useAnnounce();
  const [isWhole, setWhole] = useState(false);
  return (
    <section className={styles.kind} aria-label={say(heading)}>
      <h3 className={styles.heading}>
        {say(heading)}
        <span className={styles.count}>{items.length}</span>
      </h3>
      <Lines>
        {items.slice(0, isWhole ? undefined : FEW).map((item) => (
          <Line
            key={item.id}
            path={item.path}
            icon={item.icon}
            title={item.title}
            detail={item.detail}
            {...(item.isAlarming && { isAlarming: true })}
            meta={item.at && <Time at={item.at} />}
            action={
              !item.stays && (
                <Button kind="quiet" aria-label={t("home.dismiss", { title: item.title })} onPress={() => announce(t("console.dismissed"), dismiss(item))}>
                  <X size={16} aria-hidden="true" />
                </Button>
              )
            }
          />
        ))}
      </Lines>
      {items.length > FEW && !isWhole && (
        <Button kind="quiet" onPress={() => setWhole(true)}>
          {t("console.all_of_kind", { count: items.length })}
        </Button>
      )}
    </section>
  );
}
