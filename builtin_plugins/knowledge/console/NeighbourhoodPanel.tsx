import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { lazyPart } from "@guildhall/console/ui/lazyPart";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useFilters } from "@guildhall/console/ui/query";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { loadNeighbourhood, MAX_DEPTH, pathOf, type Scope } from "./entities";
import { NeighbourhoodTable } from "./NeighbourhoodTable";
import { howDrawable } from "./webgl";
import styles from "./Knowledge.module.css";

const Drawing = lazyPart(() => import("./Drawing"));

/** What is around an entity, drawn and as a table; one step further with each press. The address says how. */
export function NeighbourhoodPanel({ id, scope }: { id: string; scope: Scope }) {
  const t = useText();
  const [, navigate] = useLocation();
  const [filters, change] = useFilters();
  const [drawable, setDrawable] = useState(howDrawable);
  const isDrawable = drawable !== "no";
  const depth = Math.min(MAX_DEPTH, Math.max(1, Math.trunc(Number(filters.depth)) || 1));
  const isTable = !isDrawable || (filters.view ?? (drawable === "well" ? "drawing" : "table")) === "table";
  const query = useQuery({
    queryKey: ["kg", "graph", id, depth, scope],
    queryFn: () => loadNeighbourhood(id, depth, scope),
    placeholderData: keepPreviousData,
  });
  const graph = query.data;
  return (
    <div className={styles.neighbourhood}>
      <Panel
        title={t("graph.neighbourhood")}
        actions={
          <div className={styles.views}>
            {isDrawable && (
              <Button onPress={() => change({ view: isTable ? "drawing" : "table" })}>
                {isTable ? t("graph.as_drawing") : t("graph.as_table")}
              </Button>
            )}
            <Button isDisabled={depth <= 1} onPress={() => change({ depth: depth > 2 ? String(depth - 1) : "" })}>
              {t("graph.nearer")}
            </Button>
            <Button isDisabled={depth >= MAX_DEPTH} onPress={() => change({ depth: String(depth + 1) })}>
              {t("graph.further")}
            </Button>
          </div>
        }
      >
        {query.isPending && <SkeletonRows count={4} />}
        {query.isError && <ProblemNotice problem={query.error} onRetry={() => void query.refetch()} />}
        {!isDrawable && <p className={styles.said}>{t("graph.no_drawing")}</p>}
        {graph && (
          <>
            <p className={styles.said} role="status">
              {t("graph.around", { nodes: graph.nodes.length - 1, edges: graph.edges.length, depth })}
              {graph.hidden > 0 && ` ${t("graph.hidden", { count: graph.hidden })}`}
            </p>
            {isTable ? (
              <NeighbourhoodTable graph={graph} scope={scope} />
            ) : (
              <Suspense fallback={<SkeletonRows count={6} />}>
                <Drawing graph={graph} onOpen={(node) => navigate(pathOf(node, scope))} onFailed={() => setDrawable("no")} />
              </Suspense>
            )}
          </>
        )}
      </Panel>
    </div>
  );
}
