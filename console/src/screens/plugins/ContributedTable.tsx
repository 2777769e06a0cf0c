import { useText } from "../../i18n/texts";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { Panel } from "../../ui/Panel";
import { ProblemNotice } from "../../ui/ProblemNotice";
import { SkeletonRows } from "../../ui/Skeleton";
import { Table } from "../../ui/Table";
import { usePages } from "../../ui/usePages";
import { usePluginText, type TableSpec } from "./pages";
import { callRow } from "./rows";
import { valueAt } from "./schema";
import { isFigure, Value } from "./Value";

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
  const pages = usePages<unknown>(["x", plugin, spec.source], ({ cursor }) => {
    const query = cursor ? `?cursor=${encodeURIComponent(cursor)}` : "";
    return callRow({ method: "GET", path: spec.source + query }) as Promise<Listed>;
  });
  const items: Line[] = pages.data?.pages.flatMap((page) => page.items).map((item, position) => ({ item, position })) ?? [];
  const heading = say(spec.title || title);
  return (
    <Panel title={heading}>
      {pages.isPending ? (
        <SkeletonRows count={3} />
      ) : pages.isLoadingError ? (
        <ProblemNotice problem={pages.error} onRetry={() => void pages.refetch()} />
      ) : items.length === 0 ? (
        <EmptyState text={say(spec.empty) || t("contributed.empty")} />
      ) : (
        <Table<Line>
          label={heading}
          items={items}
          idOf={({ position }) => String(position)}
          columns={spec.columns.map(({ field, label, schema }) => ({
            id: field,
            name: say(label),
            isFigure: isFigure(schema),
            cell: ({ item }: Line) => <Value schema={schema} value={valueAt(item, field)} />,
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
