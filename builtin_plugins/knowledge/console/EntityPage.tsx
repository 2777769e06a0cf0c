import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { useAsk } from "@guildhall/console/ui/ask";
import { Button } from "@guildhall/console/ui/Button";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useFilters } from "@guildhall/console/ui/query";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { ChangeEntity } from "./ChangeEntity";
import { loadEntity, type Scope } from "./entities";
import { MergedHere } from "./MergedHere";
import { MergeEntities } from "./MergeEntities";
import { NeighbourhoodPanel } from "./NeighbourhoodPanel";
import { Passages } from "./Passages";
import { Relations } from "./Relations";
import { TypeMark } from "./TypeMark";
import styles from "./Knowledge.module.css";

/** One entity: what it is called, where documents say so, what it relates to, and what is around it. */
export function EntityPage({ id }: { id: string }) {
  const t = useText();
  const may = useMay();
  const ask = useAsk();
  const [filters] = useFilters();
  const scope: Scope = filters.scope === "org" && may("org:read") ? "org" : "team";
  const [dialog, setDialog] = useState<"change" | "merge" | null>(null);
  const query = useQuery({ queryKey: ["kg", "entity", id, scope], queryFn: () => loadEntity(id, scope) });
  if (query.isPending) return <SkeletonRows />;
  if (query.isLoadingError) return <ProblemNotice problem={query.error} onRetry={() => void query.refetch()} />;
  const entity = query.data;
  // Only what is of one's own team can be changed; across the company one reads.
  const mayChange = may("files:write") && scope === "team";
  return (
    <>
      <p className={styles.trail}>
        <Link href={scope === "org" ? "/knowledge?scope=org" : "/knowledge"}>{t("nav.graph")}</Link>
      </p>
      <PageHead title={entity.name}>
        {ask && scope === "team" && <Button onPress={() => ask({ type: "entity", at: entity.id })}>{t("action.ask")}</Button>}
        {mayChange && (
          <>
            <Button onPress={() => setDialog("change")}>{t("action.edit")}</Button>
            <Button onPress={() => setDialog("merge")}>{t("graph.merge")}</Button>
          </>
        )}
      </PageHead>
      <div className={styles.under}>
        <TypeMark type={entity.type} />
        {entity.aliases.length > 0 && (
          <span>
            {t("graph.aliases")}{" "}
            {entity.aliases.map((alias) => (
              <span key={alias} className={styles.alias} dir="auto">
                {alias}
              </span>
            ))}
          </span>
        )}
      </div>
      <div className={styles.page}>
        <NeighbourhoodPanel id={entity.id} scope={scope} />
        <div>
          <Panel title={t("graph.mentions", { count: entity.mentions.length })}>
            {entity.mentions.length === 0 ? <EmptyState text={t("graph.no_mentions")} /> : <Passages entity={entity} />}
          </Panel>
        </div>
        <div>
          <Panel title={t("graph.relations")}>
            {entity.relations.length === 0 ? <EmptyState text={t("graph.no_relations")} /> : <Relations entity={entity} scope={scope} />}
          </Panel>
          {mayChange && (entity.merged?.length ?? 0) > 0 && <MergedHere entity={entity} />}
        </div>
      </div>
      {dialog === "change" && <ChangeEntity entity={entity} onClose={() => setDialog(null)} />}
      {dialog === "merge" && <MergeEntities entity={entity} onClose={() => setDialog(null)} />}
    </>
  );
}
