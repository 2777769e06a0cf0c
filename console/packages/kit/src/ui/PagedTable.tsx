import type { ReactNode } from "react";

import { useText } from "../i18n/texts";
import { Button } from "./Button";
import { EmptyState } from "./EmptyState";
import { ProblemNotice } from "./ProblemNotice";
import type { Pages } from "./RowList";
import { SkeletonRows } from "./Skeleton";
import { Table, type TableProps } from "./Table";

export interface PagedTableProps<Item> extends Omit<TableProps<Item>, "items"> {
  pages: Pages<Item>;
  empty: { text: string; action?: ReactNode };
}

/** A table that comes page by page, for rows with controls of their own. */
export function PagedTable<Item>({ pages, empty, ...table }: PagedTableProps<Item>) {
  const t = useText();
  if (pages.isPending) return <SkeletonRows />;
  if (pages.isError && !pages.data) return <ProblemNotice problem={pages.error} onRetry={() => void pages.refetch()} />;
  const items = pages.data?.pages.flatMap((page) => page.items) ?? [];
  if (items.length === 0) return <EmptyState {...empty} />;
  return (
    <>
      <Table {...table} items={items} />
      {pages.isError && <ProblemNotice problem={pages.error} onRetry={() => void pages.fetchNextPage()} />}
      {pages.hasNextPage && !pages.isError && (
        <Button isPending={pages.isFetchingNextPage} onPress={() => void pages.fetchNextPage()}>
          {t("action.show_more")}
        </Button>
      )}
    </>
  );
}
