import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useTexts } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Time } from "@guildhall/console/ui/Time";
import { usePages } from "@guildhall/console/ui/usePages";
import { useDirection } from "./languages";
import type { Message } from "./messages";
import { WordDifference } from "./WordDifference";
import styles from "./Localize.module.css";

export function useHistory(id: string, enabled: boolean) {
  const load = (cursor: { cursor?: string }) =>
    dataOf(api.GET("/api/l10n/messages/{id}/history", { params: { path: { id }, query: cursor } }));
  return usePages(["l10n", "history", id], load, enabled);
}

/** What happened to a message, newest first, asked for when somebody looks. */
export function MessageHistory({ message }: { message: Message }) {
  const { t, has } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const dir = useDirection()(message.locale);
  const history = useHistory(message.id, isOpen);
  const events = history.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <details className={styles.more} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("l10n.history")}</summary>
      {history.isPending && isOpen && <SkeletonRows count={3} />}
      {history.isError && <ProblemNotice problem={history.error} onRetry={() => void history.refetch()} />}
      <ol className={styles.events}>
        {events.map((event, place) => {
          const before = events.slice(place + 1).find((earlier) => earlier.text !== null)?.text ?? null;
          const key = `l10n.did_${event.action}`;
          return (
            <li key={`${event.version}-${place}`}>
              <p className={styles.who}>
                <b>{has(key) ? t(key) : event.action}</b>
                {event.by && <span dir="auto">{event.by.name}</span>}
                <Time at={event.at} />
              </p>
              {event.text !== null && before !== null && before !== event.text ? (
                <WordDifference before={before} after={event.text} lang={message.locale} dir={dir} />
              ) : (
                event.text !== null && before === null && (
                  <p className={styles.message} lang={message.locale} dir={dir}>
                    {event.text}
                  </p>
                )
              )}
              {event.comment && <q dir="auto">{event.comment}</q>}
            </li>
          );
        })}
      </ol>
      {history.hasNextPage && <Button onPress={() => void history.fetchNextPage()}>{t("action.show_more")}</Button>}
    </details>
  );
}
