import { useMutation, useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useMemo, useState } from "react";

import { useText, useTexts } from "@guildhall/console/i18n/texts";
import { useActionWords } from "./actionWords";
import { Button } from "@guildhall/console/ui/Button";
import { csvTable } from "./csv";
import { downloadText } from "@guildhall/console/ui/download";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useFilters } from "@guildhall/console/ui/query";
import { RowList, RowMeta } from "@guildhall/console/ui/RowList";
import type { Option } from "@guildhall/console/ui/Select";
import { Time } from "@guildhall/console/ui/Time";
import { usePages } from "@guildhall/console/ui/usePages";
import { AUDIT_COLUMNS, auditRow, MOST_EXPORTED, queryOf, type AuditDay, type AuditEvent, type AuditQuery } from "./auditEvents";
import styles from "./Audit.module.css";
import { AuditEventDialog } from "./AuditEventDialog";
import { AuditFilters } from "./AuditFilters";
import { changesOf } from "./changed";
import { Timeline } from "./Timeline";
import { useValueWords } from "./valueWords";

interface AuditPage {
  items: AuditEvent[];
  next_cursor: string | null;
}
export interface AuditTrailProps {
  of: "team" | "company";
  loadEvents: (query: AuditQuery) => Promise<AuditPage>;
  loadDays: (query: { actor?: string; from: string; to: string }) => Promise<{ items: AuditDay[] }>;
  loadPeople: () => Promise<Option[]>;
}

/** So many pages with nothing on them are looked at before one is asked whether to go on. */
const PATIENCE = 8;

/** A trail by the day, and its events with their filters in the address; what is exported is what the filters show. */
export function AuditTrail({ of, loadEvents, loadDays, loadPeople }: AuditTrailProps) {
  const t = useText();
  const [filters, change] = useFilters();
  const [opened, setOpened] = useState<AuditEvent | null>(null);
  const query = queryOf(filters);
  const events = usePages(["audit", of, query], (cursor) => loadEvents({ ...cursor, ...query }));
  const people = useQuery({ queryKey: ["audit-people", of], queryFn: loadPeople });
  const nameOf = useMemo(() => namesIn(people.data ?? []), [people.data]);
  const save = useMutation({ mutationFn: () => exportEvents(loadEvents, query) });
  const isFiltered = Object.keys(query).length > 0;
  const looked = useLooked(events);
  const row = (event: AuditEvent) => <EventRow event={event} nameOf={nameOf} />;
  return (
    <>
      <Timeline of={of} actor={filters.actor} loadDays={loadDays} />
      <AuditFilters people={people.data ?? []}>
        <Button isPending={save.isPending} onPress={() => save.mutate()}>
          <Download size={16} aria-hidden="true" />
          {t("action.export_csv")}
        </Button>
      </AuditFilters>
      {save.isError && <ProblemNotice problem={save.error} />}
      {save.data === true && <p className={styles.text}>{t("audit.export_cut", { count: MOST_EXPORTED })}</p>}
      <RowList
        label={t("nav.audit")}
        pages={{ ...events, isPending: events.isPending || looked.isLooking, hasNextPage: events.hasNextPage && !looked.isTired }}
        idOf={(event) => event.id}
        openId={opened?.id ?? null}
        onOpen={setOpened}
        empty={{ text: looked.isTired ? t("audit.not_lately") : isFiltered ? t("list.no_matches") : t("audit.none") }}
        row={row}
      />
      {looked.isTired && <Button onPress={looked.goOn}>{t("audit.look_further")}</Button>}
      {opened && (
        <AuditEventDialog
          event={opened}
          nameOf={nameOf}
          onClose={() => setOpened(null)}
          onTarget={(target) => {
            setOpened(null);
            change({ target });
          }}
        />
      )}
    </>
  );
}

function EventRow({ event, nameOf }: { event: AuditEvent; nameOf: (id: string) => string | undefined }) {
  const { locale } = useTexts();
  const actionWords = useActionWords();
  const valueWords = useValueWords(nameOf);
  const { actor, target, action, at, detail } = event;
  const [changed] = changesOf(event);
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: "short" }).format(new Date(at));
  const about = typeof detail.username === "string" ? detail.username : (nameOf(target.id ?? "") ?? target.id ?? "");
  return (
    <>
      <span className={styles.clock}>{clock}</span>
      <span className={styles.who}>
        <bdi>{nameOf(actor.id ?? "") ?? actor.name}</bdi>
      </span>
      <span className={styles.action}>
        <span title={action}>{actionWords(action)}</span>
        {changed && (
          <span className={styles.change}>
            <del>{valueWords(changed.before)}</del> <span aria-hidden="true">→</span> <ins>{valueWords(changed.after)}</ins>
          </span>
        )}
      </span>
      <bdi className={styles.target}>{about}</bdi>
      <RowMeta>
        <Time at={at} />
      </RowMeta>
    </>
  );
}

function namesIn(people: readonly Option[]): (id: string) => string | undefined {
  const names = new Map(people.map(({ id, name }) => [id, name]));
  return (id) => names.get(id);
}

/** A page of a search may be empty with more behind it: some are looked at, then one is asked. */
function useLooked({ data, hasNextPage }: { data: { pages: AuditPage[] } | undefined; hasNextPage: boolean }) {
  const [patience, setPatience] = useState(PATIENCE);
  const pages = data?.pages ?? [];
  const dry = pages.length - 1 - pages.findLastIndex(({ items }) => items.length > 0);
  const isTired = hasNextPage && dry >= patience;
  return {
    isTired,
    isLooking: hasNextPage && !isTired && pages.length > 0 && pages.every(({ items }) => items.length === 0),
    goOn: () => setPatience(dry + PATIENCE),
  };
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
