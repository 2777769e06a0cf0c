import { Link } from "wouter";

import { useLive } from "@guildhall/console/api/live";
import { useLanguageName } from "@guildhall/console/i18n/languageName";
import { useTexts } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { CoverageActions } from "./CoverageActions";
import { ImportButton } from "./ImportButton";
import { COVERAGE_KEY, useCoverage } from "./languages";
import { STATUSES, type Coverage, type Status } from "./messages";
import { ICONS } from "./StatusMark";
import styles from "./Coverage.module.css";

// As they stand in a bar, from what is done to what is not begun.
const IN_BAR: readonly Status[] = ["approved", "submitted", "machine", "stale", "returned", "missing"];

/** How far every language is, with a way into each figure. */
export function CoverageScreen() {
  const { t } = useTexts();
  const may = useMay();
  useLive("/api/l10n/messages", COVERAGE_KEY);
  const coverage = useCoverage();
  const mayManage = may("localization:manage");
  if (coverage.isPending) return <SkeletonRows />;
  if (coverage.isLoadingError) return <ProblemNotice problem={coverage.error} onRetry={() => void coverage.refetch()} />;
  if (coverage.data.length === 0) {
    return <EmptyState text={t("l10n.nothing_imported")} action={mayManage && <ImportButton />} />;
  }
  return (
    <>
      <div className={styles.bar}>
        <p className={styles.count}>{t("l10n.languages_count", { count: coverage.data.length })}</p>
        {mayManage && <ImportButton />}
      </div>
      <ul className={styles.languages}>
        {coverage.data.map((one) => (
          <Language key={one.locale} coverage={one} />
        ))}
      </ul>
    </>
  );
}

function Language({ coverage }: { coverage: Coverage }) {
  const { t, locale } = useTexts();
  const nameOf = useLanguageName();
  const may = useMay();
  const name = nameOf(coverage.locale);
  const percent = coverage.total ? coverage.approved / coverage.total : 0;
  // Never "100%" while something is left.
  const rounded = percent === 1 ? 1 : Math.floor(percent * 100) / 100;
  const said = new Intl.NumberFormat(locale, { style: "percent" }).format(rounded);
  return (
    <li className={styles.language}>
      <div className={styles.head}>
        <h2>
          <Link href={`/localize/translate?locale=${coverage.locale}`}>{name}</Link>
        </h2>
        <code className={styles.tag}>{coverage.locale}</code>
        <span className={styles.share}>{t("l10n.progress", { percent: said, total: coverage.total })}</span>
        {may("localization:manage") && <CoverageActions coverage={coverage} name={name} />}
      </div>
      <div className={styles.track} aria-hidden="true">
        {IN_BAR.filter((status) => coverage[status] > 0).map((status) => (
          <span key={status} data-status={status} style={{ flexGrow: coverage[status] }} />
        ))}
      </div>
      <ul className={styles.figures} aria-label={t("nav.coverage")}>
        {STATUSES.map((status) => (
          <Figure key={status} coverage={coverage} status={status} />
        ))}
      </ul>
    </li>
  );
}

function Figure({ coverage, status }: { coverage: Coverage; status: Status }) {
  const { t, locale } = useTexts();
  const Icon = ICONS[status];
  const count = new Intl.NumberFormat(locale).format(coverage[status]);
  const words = (
    <>
      <Icon size={16} aria-hidden="true" />
      <b>{count}</b> {t(`l10n.${status}`)}
    </>
  );
  return (
    <li data-status={status} className={styles.figure}>
      {coverage[status] > 0 ? (
        <Link href={`/localize/translate?locale=${coverage.locale}&status=${status}`}>{words}</Link>
      ) : (
        <span className={styles.none}>{words}</span>
      )}
    </li>
  );
}
