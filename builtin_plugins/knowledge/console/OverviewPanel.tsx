import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Suspense } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { lazyPart } from "@guildhall/console/ui/lazyPart";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useFilters } from "@guildhall/console/ui/query";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { loadOverview, type EntityType, type Scope } from "./entities";
import styles from "./Overview.module.css";

const OverviewDrawing = lazyPart(() => import("./OverviewDrawing"));
/** On a phone fewer have room. */
const SHOWN = matchMedia("(max-width: 600px)").matches ? [16, 32] : [40, 100];

/** What matters most, as a drawing; the list has the same, and all the rest. */
export function OverviewPanel({ types, scope, isEmptyHall }: { types: readonly EntityType[]; scope: Scope; isEmptyHall: string }) {
  const t = useText();
  const [filters, change] = useFilters();
  const isWide = filters.show === "more";
  const limit = SHOWN[isWide ? 1 : 0] ?? 40;
  const overview = useQuery({
    queryKey: ["kg", "overview", types.join(), scope, limit],
    queryFn: () => loadOverview(types, scope, limit),
    placeholderData: keepPreviousData,
  });
  if (overview.isPending) return <SkeletonRows />;
  if (overview.isLoadingError) return <ProblemNotice problem={overview.error} onRetry={() => void overview.refetch()} />;
  const graph = overview.data;
  if (!graph) return null;
  if (graph.nodes.length === 0) return <EmptyState text={isEmptyHall} />;
  return (
    <>
      <Suspense fallback={<SkeletonRows />}>
        <OverviewDrawing graph={graph} scope={scope} />
      </Suspense>
      <div className={styles.said}>
        <span role="status">
          {t("graph.most_connected", { nodes: graph.nodes.length, edges: graph.edges.length })}
          {graph.more && ` ${t("graph.more_in_list")}`}
        </span>
        {(graph.more || isWide) && (
          <Button kind="quiet" onPress={() => change({ show: isWide ? "" : "more" })}>
            {t(isWide ? "graph.show_fewer" : "graph.show_more")}
          </Button>
        )}
      </div>
    </>
  );
}
