import { Gauge } from "lucide-react";

import { useTexts } from "@guildhall/console/i18n/texts";
import { Line } from "@guildhall/console/ui/Lines";
import { nameKeyOf } from "@guildhall/console/ui/quotas";
import { Time } from "@guildhall/console/ui/Time";
import { useTightLimits } from "./useTightLimits";

/** Limits that are nearly reached, for the first page. */
export default function TightLimits() {
  const { t, has, locale } = useTexts();
  const limits = useTightLimits();
  const figure = new Intl.NumberFormat(locale, { notation: "compact" });
  const nameOf = (dimension: string) => {
    const key = nameKeyOf(dimension);
    return key && has(key) ? t(key) : dimension;
  };
  return limits.map(({ dimension, used, limit, resets_at }) => (
    <Line
      key={dimension}
      path="/usage"
      icon={Gauge}
      isAlarming={used >= limit}
      title={t("home.quota_warning", { used: figure.format(used), limit: figure.format(limit), dimension: nameOf(dimension) })}
      meta={resets_at && <Time at={resets_at} />}
    />
  ));
}
