import { Pencil } from "lucide-react";

import { useTexts } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { Time } from "@guildhall/console/ui/Time";
import { useDimensionName } from "@guildhall/console/ui/dimensions";
import { figureOf, fillOf, type Quota } from "@guildhall/console/ui/quotas";
import { atLimit } from "./limits";
import styles from "./Usage.module.css";

const NEARLY_FULL = 0.8;

/** Changes the limit of one; left out for whoever only reads them. */
type OnEdit = ((quota: Quota) => void) | undefined;

/** Each dimension with a bar and the figures it is drawn from, and when it starts anew. */
export function QuotaBars({ quotas, onEdit }: { quotas: readonly Quota[]; onEdit?: OnEdit }) {
  const { t } = useTexts();
  if (quotas.length === 0) return <EmptyState text={t("usage.none")} />;
  return (
    <ul className={styles.quotas}>
      {quotas.map((quota) => (
        <QuotaBar key={`${quota.dimension} ${quota.window}`} quota={quota} onEdit={onEdit} />
      ))}
    </ul>
  );
}

function QuotaBar({ quota, onEdit }: { quota: Quota; onEdit: OnEdit }) {
  const { t, locale } = useTexts();
  const { dimension, used, limit, window, resets_at } = quota;
  const name = useDimensionName()(dimension);
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
        {onEdit && (
          <Button kind="quiet" aria-label={`${t("action.edit")}: ${name}, ${t(`instance.window_${window}`)}`} onPress={() => onEdit(quota)}>
            <Pencil size={16} />
          </Button>
        )}
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
      {limit !== null && <span className={styles.note}>{t(atLimit(quota))}</span>}
      {resets_at && (
        <span className={styles.note}>
          {t("usage.resets_at")} <Time at={resets_at} />
        </span>
      )}
    </li>
  );
}
