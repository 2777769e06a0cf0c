import type { ReactNode } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { PhraseField } from "@guildhall/console/ui/PhraseField";
import { useFilters } from "@guildhall/console/ui/query";
import { Select, type Option } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { AUDIT_NOUNS, queryOf } from "./auditEvents";
import styles from "./Audit.module.css";
import { fieldWords } from "./changed";

const ANY = "any";
const NOTHING = { action: "", actor: "", target: "", q: "", from: "", to: "" };

/** What of the trail is shown: by words, by what was done, by whom, and when. */
export function AuditFilters({ people, children }: { people: readonly Option[]; children: ReactNode }) {
  const t = useText();
  const [filters, change] = useFilters();
  const any = { id: ANY, name: t("list.all") };
  const nouns = [...new Set([...AUDIT_NOUNS, ...(filters.action ? [filters.action] : [])])];
  const known = filters.actor && !people.some(({ id }) => id === filters.actor) ? [...people, { id: filters.actor, name: filters.actor }] : people;
  return (
    <div className={styles.filters} role="search">
      <PhraseField className={styles.search} label={t("audit.search")} value={filters.q ?? ""} onChange={(q) => change({ q })} />
      <Select
        label={t("audit.what")}
        options={[any, ...nouns.map((id) => ({ id, name: fieldWords(id) }))]}
        value={filters.action ?? ANY}
        onChange={(value) => change({ action: value === ANY ? "" : value })}
      />
      <Select label={t("audit.who")} options={[any, ...known]} value={filters.actor ?? ANY} onChange={(value) => change({ actor: value === ANY ? "" : value })} />
      <TextField label={t("audit.from")} type="date" value={filters.from ?? ""} onChange={(from) => change({ from })} />
      <TextField label={t("audit.to")} type="date" value={filters.to ?? ""} onChange={(to) => change({ to })} />
      {Object.keys(queryOf(filters)).length > 0 && (
        <Button kind="quiet" onPress={() => change(NOTHING)}>
          {t("action.clear_filters")}
        </Button>
      )}
      {children}
      {filters.target && (
        <p className={styles.text}>
          {t("audit.only_target")} <code>{filters.target}</code>
        </p>
      )}
    </div>
  );
}
