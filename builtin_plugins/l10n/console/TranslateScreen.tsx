import { useQuery, useQueryClient, type InfiniteData } from "@tanstack/react-query";
import { useCallback } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useFilters } from "@guildhall/console/ui/query";
import { RowList, RowMeta, RowTitle } from "@guildhall/console/ui/RowList";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { usePages } from "@guildhall/console/ui/usePages";
import { ImportButton } from "./ImportButton";
import { useCoverage, useLanguageOptions, useWorkingLocale } from "./languages";
import { MessageFilters } from "./MessageFilters";
import { isStatus, loadMessage, loadMessages, STATUSES, type Message } from "./messages";
import { StatusMark } from "./StatusMark";
import { Translating } from "./Translating";
import styles from "./Localize.module.css";

interface Page {
  items: Message[];
  next_cursor: string | null;
}

/** The messages of a language, and one of them to translate. Everything that says which is in the address. */
export function TranslateScreen() {
  const t = useText();
  const may = useMay();
  const client = useQueryClient();
  const [filters, change] = useFilters();
  const coverage = useCoverage();
  const languages = useLanguageOptions(coverage.data);
  const locale = useWorkingLocale(filters.locale, coverage.data, (one) => one.approved < one.total);
  const { status, ns, q, key } = filters;
  const listKey = ["l10n", "messages", locale, status, ns, q];
  const messages = usePages<Message>(
    listKey,
    (cursor) => loadMessages({ locale: locale ?? "", status, ns, q }, cursor),
    locale !== null,
  );
  const items = messages.data?.pages.flatMap((page) => page.items) ?? [];
  const place = items.findIndex((message) => message.key === key);
  // A link may lead to one that these filters do not list.
  const apart = useQuery({
    queryKey: ["l10n", "message", locale, key],
    queryFn: () => loadMessage(locale ?? "", key ?? ""),
    enabled: Boolean(key) && locale !== null && !messages.isPending && place < 0,
  });
  const open = place >= 0 ? items[place] : key ? apart.data : undefined;

  const go = useCallback((to: Message | undefined) => change({ key: to?.key ?? "" }), [change]);
  const onChanged = useCallback(
    (changed: Message) => {
      // The row stays where it is, so that one keeps one's place: it is the list that was asked for.
      client.setQueriesData<InfiniteData<Page>>({ queryKey: ["l10n", "messages"] }, (before) => {
        if (!before?.pages) return before;
        const replace = (page: Page) => ({ ...page, items: page.items.map((one) => (one.id === changed.id ? changed : one)) });
        return { ...before, pages: before.pages.map(replace) };
      });
      client.setQueryData(["l10n", "message", changed.locale, changed.key], changed);
      void client.invalidateQueries({ queryKey: ["l10n", "coverage"] });
      void client.invalidateQueries({ queryKey: ["l10n", "history", changed.id] });
    },
    [client],
  );

  if (coverage.isPending) return <SkeletonRows />;
  if (coverage.isLoadingError) return <ProblemNotice problem={coverage.error} onRetry={() => void coverage.refetch()} />;
  if (locale === null) {
    return <EmptyState text={t("l10n.nothing_imported")} action={may("localization:manage") && <ImportButton />} />;
  }
  const first = items.find((message) => message.status !== "approved") ?? items[0];
  const isFiltered = Boolean(status || ns || q);
  return (
    <>
      <MessageFilters filters={filters} change={change} languages={languages} locale={locale} />
      <div className={styles.counted} data-open={open ? "" : undefined}>
        <span>{t("list.count", { count: countOf(coverage.data.find((one) => one.locale === locale), status, items.length, Boolean(ns || q), messages.hasNextPage) })}</span>
        {!open && first && may("localization:translate") && (
          <Button kind="primary" onPress={() => go(first)}>
            {t("l10n.start")}
          </Button>
        )}
      </div>
      <div className={styles.split} data-open={open ? "" : undefined}>
        <section className={styles.list} aria-label={t("l10n.messages")}>
          <RowList
            label={t("l10n.messages")}
            pages={messages}
            idOf={(message) => message.id}
            openId={open?.id ?? null}
            onOpen={go}
            empty={{
              text: isFiltered ? t("list.no_matches") : t("l10n.all_translated"),
              action: isFiltered && (
                <Button onPress={() => change({ status: "", ns: "", q: "" })}>{t("action.clear_filters")}</Button>
              ),
            }}
            row={(message) => (
              <>
                <RowTitle>
                  <span dir="auto">{message.source}</span>
                </RowTitle>
                <RowMeta>
                  <code className={styles.key}>{message.key}</code>
                </RowMeta>
                <RowMeta>
                  <StatusMark status={message.status} />
                </RowMeta>
              </>
            )}
          />
        </section>
        {open && (
          <Translating
            key={open.id}
            message={open}
            previous={items[place - 1]}
            next={place >= 0 ? items[place + 1] : items[0]}
            onChanged={onChanged}
            onGo={go}
          />
        )}
        {key && !open && apart.isFetched && <EmptyState text={t("error.not_found")} />}
      </div>
    </>
  );
}

/** How many are listed: known exactly where nothing but the status narrows it. */
function countOf(
  coverage: { total: number } & Record<(typeof STATUSES)[number], number> | undefined,
  status: string | undefined,
  shown: number,
  isNarrowed: boolean,
  hasMore: boolean,
): number {
  if (isNarrowed || !hasMore || !coverage) return shown;
  return isStatus(status) ? coverage[status] : coverage.total;
}
