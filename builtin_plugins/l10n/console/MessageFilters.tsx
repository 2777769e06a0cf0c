import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { PhraseField } from "@guildhall/console/ui/PhraseField";
import type { Filters } from "@guildhall/console/ui/query";
import { Select, type Option } from "@guildhall/console/ui/Select";
import { STATUSES } from "./messages";
import styles from "./Localize.module.css";

const ANY = "any";

export interface MessageFiltersProps {
  filters: Filters;
  change: (change: Partial<Filters>) => void;
  languages: readonly Option[];
  locale: string;
}

/** Which messages are listed: language, status, area and phrase, all of them in the address. */
export function MessageFilters({ filters, change, languages, locale }: MessageFiltersProps) {
  const t = useText();
  const areas = useAreas();
  const statuses = STATUSES.map((status) => ({ id: status, name: t(`l10n.${status}`) }));
  const set = (name: string) => (value: string) => change({ [name]: value === ANY ? "" : value, key: "" });
  return (
    <div className={styles.filters} role="search" data-open={filters.key ? "" : undefined}>
      <Select label={t("account.language")} isLabelHidden options={languages} value={locale} onChange={set("locale")} />
      <Select
        label={t("list.status")}
        isLabelHidden
        options={[{ id: ANY, name: t("l10n.any_status") }, ...statuses]}
        value={filters.status ?? ANY}
        onChange={set("status")}
      />
      <Select
        label={t("l10n.namespace")}
        isLabelHidden
        options={[{ id: ANY, name: t("l10n.any_area") }, ...areas]}
        value={filters.ns ?? ANY}
        onChange={set("ns")}
      />
      <PhraseField className={styles.phrase} label={t("l10n.search")} value={filters.q ?? ""} onChange={(q) => change({ q, key: "" })} />
    </div>
  );
}

/** What stands before the first dot of the keys. */
function useAreas(): Option[] {
  const catalog = useQuery({
    queryKey: ["catalog", "en"],
    queryFn: () => dataOf(api.GET("/api/i18n/catalog", { params: { query: { locale: "en" } } })),
    staleTime: Infinity,
  });
  const messages = catalog.data?.messages;
  return useMemo(() => {
    const names = new Set(Object.keys(messages ?? {}).map((key) => key.split(".", 1)[0] ?? key));
    return [...names].sort().map((name) => ({ id: name, name }));
  }, [messages]);
}
