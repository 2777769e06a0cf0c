import { useMutation, useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { useActionWords } from "@guildhall/console/ui/actionWords";
import { Button } from "@guildhall/console/ui/Button";
import { csvTable } from "@guildhall/console/ui/csv";
import { downloadText } from "@guildhall/console/ui/download";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useFilters } from "@guildhall/console/ui/query";
import { RowList, RowMeta } from "@guildhall/console/ui/RowList";
import { Select, type Option } from "@guildhall/console/ui/Select";
import { Time } from "@guildhall/console/ui/Time";
import { usePages } from "@guildhall/console/ui/usePages";
import { AUDIT_COLUMNS, AUDIT_NOUNS, auditRow, MOST_EXPORTED, type AuditEvent, type AuditQuery } from "./auditEvents";
import { AuditEventDialog } from "./AuditEventDialog";
import styles from "./Team.module.css";

interface AuditPage {
  items: AuditEvent[];
  next_cursor: string | null;
}
interface AuditTrailProps {
  of: "team" | "company";
  loadEvents: (query: AuditQuery) => Promise<AuditPage>;
  loadPeople: () => Promise<Option[]>;
}

const ANY = "any";

/** A trail of events with its filters in the address; what is exported is what the filters show. */
export function AuditTrail({ of, loadEvents, loadPeople }: AuditTrailProps) {
  const t = useText();
  const actionWords = useActionWords();
  const [filters, change] = useFilters();
  const [opened, setOpened] = useState<AuditEvent | null>(null);
  const query = { ...(filters.action && { action: filters.action }), ...(filters.actor && { actor: filters.actor }) };
  const events = usePages(["audit", of, query], (cursor) => loadEvents({ ...cursor, ...query }));
  const people = useQuery({ queryKey: ["audit-people", of], queryFn: loadPeople });
  const save = useMutation({ mutationFn: () => exportEvents(loadEvents, query) });
  const any = { id: ANY, name: t("list.all") };
  const nouns = [...new Set([...AUDIT_NOUNS, ...(filters.action ? [filters.action] : [])])];
  const isFiltered = Object.keys(query).length > 0;
  // A page of a search may be empty with more behind it: it is looked on until something is found.
  const isLooking = events.hasNextPage && events.data?.pages.every(({ items }) => items.length === 0);
  return (
    <>
      <div className={styles.filters}>
        <Select
          label={t("audit.what")}
          options={[any, ...nouns.map((id) => ({ id, name: id }))]}
          value={filters.action ?? ANY}
          onChange={(value) => change({ action: value === ANY ? "" : value })}
        />
        <Select
          label={t("audit.who")}
          options={[any, ...(people.data ?? [])]}
          value={filters.actor ?? ANY}
          onChange={(value) => change({ actor: value === ANY ? "" : value })}
        />
        {isFiltered && (
          <Button kind="quiet" onPress={() => change({ action: "", actor: "" })}>
            {t("action.clear_filters")}
          </Button>
        )}
        <Button isPending={save.isPending} onPress={() => save.mutate()}>
          <Download size={16} aria-hidden="true" />
          {t("action.export_csv")}
        </Button>
      </div>
      {save.isError && <ProblemNotice problem={save.error} />}
      {save.data === true && <p className={styles.text}>{t("audit.export_cut", { count: MOST_EXPORTED })}</p>}
      <RowList
        label={t("nav.audit")}
        pages={{ ...events, isPending: events.isPending || Boolean(isLooking) }}
        idOf={(event) => event.id}
        openId={opened?.id ?? null}
        onOpen={setOpened}
        empty={{ text: isFiltered ? t("list.no_matches") : t("audit.none") }}
        row={(event) => (
          <>
            <span className={styles.who}>
              <bdi>{event.actor.name}</bdi>
            </span>
            <span className={styles.action}>
              {actionWords(event.action)} <span className={styles.small}>{event.action}</span>
            </span>
            <span className={styles.target}>{event.target.id ?? ""}</span>
            <RowMeta>
              <Time at={event.at} />
            </RowMeta>
          </>
        )}
      />
      {opened && <AuditEventDialog event={opened} onClose={() => setOpened(null)} />}
    </>
  );
}

/** Hands over the trail as a file, and tells whether there was more than fits. */
async function exportEvents(load: AuditTrailProps["loadEvents"], query: AuditQuery): Promise<boolean> {
  const rows: AuditEvent[] = [];
  let cursor: string | null = null;
  do {
    const page: AuditPage = await load({ ...query, limit: 200, ...(cursor && { cursor }) });
    rows.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor && rows.length < MOST_EXPORTED);
  downloadText("audit.csv", csvTable(AUDIT_COLUMNS, rows.map(auditRow)), "text/csv");
  return cursor !== null;
}
