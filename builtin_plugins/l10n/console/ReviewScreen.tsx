import { useQueryClient } from "@tanstack/react-query";

import { useLive } from "@guildhall/console/api/live";
import { useLanguageName } from "@guildhall/console/i18n/languageName";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useFilters } from "@guildhall/console/ui/query";
import { RowList, RowMeta, RowTitle } from "@guildhall/console/ui/RowList";
import { Select } from "@guildhall/console/ui/Select";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Time } from "@guildhall/console/ui/Time";
import { usePages } from "@guildhall/console/ui/usePages";
import { COVERAGE_KEY, useCoverage, useWorkingLocale } from "./languages";
import { loadMessages, type Message } from "./messages";
import { Reviewing } from "./Reviewing";
import styles from "./Localize.module.css";

/** What waits for a second person, one after the other. */
export function ReviewScreen() {
  const t = useText();
  const { user } = useIdentity();
  const client = useQueryClient();
  const nameOf = useLanguageName();
  const [filters, change] = useFilters();
  const coverage = useCoverage();
  const status = filters.status === "machine" ? "machine" : "submitted";
  const locale = useWorkingLocale(filters.locale, coverage.data, (one) => one[status] > 0);
  useLive("/api/l10n/messages", ["l10n", "review"], COVERAGE_KEY);
  const waiting = usePages<Message>(
    ["l10n", "review", locale, status],
    (cursor) => loadMessages({ locale: locale ?? "", status }, cursor),
    locale !== null,
  );
  if (coverage.isPending) return <SkeletonRows />;
  if (coverage.isLoadingError) return <ProblemNotice problem={coverage.error} onRetry={() => void coverage.refetch()} />;
  if (locale === null) return <EmptyState text={t("l10n.nothing_to_review")} />;

  const items = waiting.data?.pages.flatMap((page) => page.items) ?? [];
  const place = items.findIndex((message) => message.key === filters.key);
  const open = items[place];
  // One's own are for others: the next is one that can be decided.
  const following = [...items.slice(place + 1), ...items.slice(0, Math.max(0, place))];
  const next = following.find((message) => message.submitted_by !== user.id);
  const go = (to: Message | undefined) => change({ key: to?.key ?? "" });
  const onDecided = async () => {
    go(next);
    await client.invalidateQueries({ queryKey: ["l10n"] });
  };
  const options = coverage.data.map((one) => ({ id: one.locale, name: `${nameOf(one.locale)} · ${one[status]}` }));
  return (
    <>
      <div className={styles.filters} role="search" data-open={open ? "" : undefined}>
        <Select
          label={t("account.language")}
          isLabelHidden
          options={options}
          value={locale}
          onChange={(value) => change({ locale: value, key: "" })}
        />
        <Select
          label={t("list.status")}
          isLabelHidden
          options={[
            { id: "submitted", name: t("l10n.submitted") },
            { id: "machine", name: t("l10n.machine") },
          ]}
          value={status}
          onChange={(value) => change({ status: value === "machine" ? value : "", key: "" })}
        />
      </div>
      <div className={styles.counted} data-open={open ? "" : undefined}>
        {t("list.count", { count: items.length })}
      </div>
      <div className={styles.split} data-open={open ? "" : undefined}>
        <section className={styles.list} aria-label={t("nav.review")}>
          <RowList
            label={t("nav.review")}
            pages={waiting}
            idOf={(message) => message.id}
            openId={open?.id ?? null}
            onOpen={go}
            empty={{ text: t("l10n.nothing_to_review") }}
            row={(message) => (
              <>
                <RowTitle>
                  <span dir="auto">{message.text}</span>
                </RowTitle>
                {message.submitted_by === user.id && <RowMeta>{t("l10n.yours")}</RowMeta>}
                <RowMeta>
                  <code className={styles.key}>{message.key}</code>
                </RowMeta>
                <RowMeta>
                  <Time at={message.updated_at} />
                </RowMeta>
              </>
            )}
          />
        </section>
        {open && <Reviewing key={open.id} message={open} next={next} onDecided={onDecided} onGo={go} />}
      </div>
    </>
  );
}
