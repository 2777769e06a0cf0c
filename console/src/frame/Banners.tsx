import { useQueryClient } from "@tanstack/react-query";
import { CircleAlert, CloudOff, Hourglass } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";

import { renewSession } from "@guildhall/console/api/client";
import { connection, useIsAway } from "@guildhall/console/api/connection";
import { useText, useTexts } from "@guildhall/console/i18n/texts";
import { useIdentity, useSession } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import styles from "./Banners.module.css";

const SOON_MS = 5 * 60_000;
const LOOK_MS = 20_000;

/** What concerns every screen, above all of them. */
export function Banners() {
  const t = useText();
  const { org } = useIdentity();
  return (
    <>
      <Away />
      {org.suspended && <Banner icon={<CircleAlert size={16} aria-hidden="true" />}>{t("error.org_suspended")}</Banner>}
      <EndingSoon />
    </>
  );
}

function Banner({ icon, action, children }: { icon: ReactNode; action?: ReactNode; children: ReactNode }) {
  return (
    <div role="status" className={styles.banner}>
      {icon}
      <span className={styles.words}>{children}</span>
      {action}
    </div>
  );
}

/** Says that the server is away, and when it is back has everything looked up again. */
function Away() {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const isAway = useIsAway();
  const wasAway = useRef(false);
  useEffect(() => {
    if (wasAway.current && !isAway) {
      announce(t("state.online_again"));
      void client.invalidateQueries();
    }
    wasAway.current = isAway;
  }, [isAway, announce, client, t]);
  if (!isAway) return null;
  return (
    <Banner icon={<CloudOff size={16} aria-hidden="true" />} action={<Button onPress={connection.askNow}>{t("action.retry")}</Button>}>
      {t("state.offline")}
    </Banner>
  );
}

/** A session has an end: said before it comes, with a way to go on. */
function EndingSoon() {
  const { t, locale } = useTexts();
  const ends = useSession()?.expiresAt;
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  if (!ends) return null;
  const left = new Date(ends).getTime() - now;
  if (left > SOON_MS || left < 0) return null;
  const time = new Intl.DateTimeFormat(locale, { timeStyle: "short" }).format(new Date(ends));
  return (
    <Banner
      icon={<Hourglass size={16} aria-hidden="true" />}
      action={<Button onPress={() => void renewSession().catch(() => undefined)}>{t("entry.sign_in_again")}</Button>}
    >
      {t("entry.session_ends", { time })}
    </Banner>
  );
}
