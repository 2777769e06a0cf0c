import { Link } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Chart } from "@guildhall/console/ui/Chart";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Table } from "@guildhall/console/ui/Table";
import { useFilters } from "@guildhall/console/ui/query";
import { usePages } from "@guildhall/console/ui/usePages";
import { usePluginText } from "@guildhall/console/screens/pages";
import { callRow } from "@guildhall/console/api/rows";
import { valueAt } from "@guildhall/console/screens/schema";
import { RowActions } from "./RowActions";
import { TableFilters } from "./TableFilters";
import { isFigure, Value } from "./Value";
import type { TableSpec } from "./parts";

interface Line {
  item: unknown;
  position: number;
}

interface Listed {
  items: unknown[];
  next_cursor: string | null;
}

/** A table of what one of a plugin's rows lists. */
export function ContributedTable({ plugin, title, spec }: { plugin: string; title: string; spec: TableSpec }) {
  const t = useText();
  const say = usePluginText();
  const [filters, setFilters] = useFilters();
  const chosen = Object.fromEntries(spec.filters.flatMap(({ name }) => (filters[name] ? [[name, filters[name]]] : [])));
  const pages = usePages<unknown>(["x", plugin, spec.source, chosen], ({ cursor }) => {
    const query = String(new URLSearchParams({ ...chosen, ...(cursor && { cursor }) }));
    return callRow({ method: "GET", path: query ? `${spec.source}?${query}` : spec.source }) as Promise<Listed>;
  });
  const items: Line[] = pages.data?.pages.flatMap((page) => page.items).map((item, position) => ({ item, position })) ?? [];
  const heading = say(spec.title || title);
  return (
    <Panel title={heading}>
      {spec.filters.length > 0 && <TableFilters filters={spec.filters} values={chosen} onChange={setFilters} />}
      {pages.isPending ? (
        <SkeletonRows count={3} />
      ) : pages.isLoadingError ? (
        <ProblemNotice problem={pages.error} onRetry={() => void pages.refetch()} />
      ) : items.length === 0 ? (
        <EmptyState text={say(spec.empty) || t("contributed.empty")} />
      ) : spec.chart ? (
        <Chart label={heading} {...drawn(spec, items, say)} />
      ) : (
        <Table<Line>
          label={heading}
          items={items}
          idOf={({ position }) => String(position)}
          {...(spec.actions.length > 0 && {
            actions: ({ item }: Line) => <RowActions plugin={plugin} name={nameOf(spec, item)} item={item} actions={spec.actions} />,
          })}
          columns={spec.columns.map(({ field, label, schema }, place) => ({
            id: field,
            name: say(label),
            isFigure: isFigure(schema),
            cell: ({ item }: Line) => {
              const value = <Value schema={schema} value={valueAt(item, field)} />;
              const end = spec.opens && spec.field && place === 0 ? valueAt(item, spec.field) : undefined;
              return end === undefined ? value : <Link href={`${spec.opens}/${encodeURIComponent(String(end))}`}>{value}</Link>;
            },
          }))}
        />
      )}
      {pages.hasNextPage && (
        <Button isPending={pages.isFetchingNextPage} onPress={() => void pages.fetchNextPage()}>
          {t("action.show_more")}
        </Button>
      )}
    </Panel>
  );
}

/** What an item is called: what its first column says. */
function nameOf({ columns: [first] }: TableSpec, item: unknown): string {
  return String((first && valueAt(item, first.field)) ?? "");
}

/** A moment and figures, as a chart has them. */
function drawn({ columns: [time, ...figures] }: TableSpec, items: readonly Line[], say: (text: string) => string) {
  return {
    time: say(time?.label ?? ""),
    series: figures.map(({ label }, place) => ({ label: say(label), kind: place === 0 ? ("bars" as const) : ("line" as const) })),
    points: items.map(({ item }) => ({
      at: Date.parse(String(time && valueAt(item, time.field))),
      values: figures.map(({ field }) => Number(valueAt(item, field))),
    })),
  };
}
