import { useTexts } from "../../i18n/texts";
import { EmptyState } from "../../ui/EmptyState";
import { Time } from "../../ui/Time";
import { figureOf, fillOf, nameKeyOf, type Quota } from "./quotas";
import styles from "./Usage.module.css";

const NEARLY_FULL = 0.8;

/** Each dimension with a bar and the figures it is drawn from, and when it starts anew. */
export function QuotaBars({ quotas }: { quotas: readonly Quota[] }) {
  const { t } = useTexts();
  if (quotas.length === 0) return <EmptyState text={t("usage.none")} />;
  return (
    <ul className={styles.quotas}>
      {quotas.map((quota) => (
        <QuotaBar key={`${quota.dimension} ${quota.window}`} quota={quota} />
      ))}
    </ul>
  );
}

function QuotaBar({ quota }: { quota: Quota }) {
  const { t, locale } = useTexts();
  const { dimension, used, limit, window, resets_at } = quota;
  const key = nameKeyOf(dimension);
  const name = key ? t(key) : dimension;
  const fill = fillOf(quota);
  const usedWords = figureOf(dimension, used, locale);
  const allowed = limit === null ? t("usage.unlimited") : figureOf(dimension, limit, locale);
  return (
    <li className={styles.quota}>
      <div className={styles.names}>
        <span className={styles.name}>{name}</span>
        <span className={styles.figures}>
          {limit === null ? `${usedWords} · ${allowed}` : t("usage.of", { used: usedWords, limit: allowed })}
          {window !== "none" && limit !== null && ` ${t(`instance.window_${window}`)}`}
        </span>
      </div>
      {fill !== null && (
        <span
          className={styles.track}
          role="meter"
          aria-label={name}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(fill * 100)}
        >
          <span className={styles.filled} data-full={fill >= NEARLY_FULL ? "" : undefined} style={{ width: `${fill * 100}%` }} />
        </span>
      )}
      {resets_at && (
        <span className={styles.note}>
          {t("usage.resets_at")} <Time at={resets_at} />
        </span>
      )}
    </li>
  );
}
