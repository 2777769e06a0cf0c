import { useQuery } from "@tanstack/react-query";
import { Bell as Icon } from "lucide-react";
import { Link } from "wouter";

import { useLive } from "@guildhall/console/api/live";
import { useTexts } from "@guildhall/console/i18n/texts";
import styles from "./Inbox.module.css";
import { LIST, loadPage } from "./inboxCalls";
import { usePush } from "./usePush";

const MOST = 99;

/** How much of the inbox is unread, on every screen; it leads there. */
export default function Bell() {
  const { t, locale } = useTexts();
  const newest = useQuery({ queryKey: ["notifications", "unread"], queryFn: () => loadPage({ unread: "1", limit: "1" }) });
  useLive(LIST, ["notifications"]);
  usePush();
  const count = newest.data?.unread ?? 0;
  return (
    <Link href="/inbox" className={styles.bell} aria-label={t("notifications.bell", { count })} title={t("notifications.inbox")}>
      <Icon size={16} aria-hidden="true" />
      {count > 0 && (
        <span className={styles.count} aria-hidden="true">
          {count > MOST ? `${new Intl.NumberFormat(locale).format(MOST)}+` : new Intl.NumberFormat(locale).format(count)}
        </span>
      )}
    </Link>
  );
}
