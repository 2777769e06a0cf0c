import { List, Network } from "lucide-react";
import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Checkbox } from "@guildhall/console/ui/Checkbox";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { PhraseField } from "@guildhall/console/ui/PhraseField";
import { useFilters } from "@guildhall/console/ui/query";
import { RowList, RowMeta, RowTitle } from "@guildhall/console/ui/RowList";
import { usePages } from "@guildhall/console/ui/usePages";
import { ICONS, LEADING, loadEntities, pathOf, typesIn, type EntityType, type Scope } from "./entities";
import { Extraction } from "./Extraction";
import styles from "./Knowledge.module.css";
import overview from "./Overview.module.css";
import { OverviewPanel } from "./OverviewPanel";
import { TypeChoice } from "./TypeChoice";

/** What matters most, drawn or as a list; or whatever bears a name. The address says what is shown. */
export function Explorer() {
  const t = useText();
  const may = useMay();
  const [filters, change] = useFilters();
  const { q } = filters;
  const types = typesIn(filters.types ?? filters.type);
  const scope: Scope = filters.scope === "org" && may("org:read") ? "org" : "team";
  const isList = Boolean(q) || filters.view === "list";
  const isOwnChoice = types.join() !== LEADING.join();
  const chosen = (to: readonly EntityType[]) => change({ types: to.join() === LEADING.join() ? "" : to.join(), type: "" });
  return (
    <>
      <PageHead title={t("nav.graph")} text={t("graph.intro")}>
        <Extraction />
      </PageHead>
      <div className={styles.filters} role="search">
        <PhraseField className={styles.search} autoFocus label={t("graph.search")} value={q ?? ""} onChange={(typed) => change({ q: typed })} />
        {may("org:read") && (
          <Checkbox isSelected={scope === "org"} onChange={(on) => change({ scope: on ? "org" : "" })}>
            {t("notes.show_company")}
          </Checkbox>
        )}
      </div>
      {!q && (
        <div className={styles.filters}>
          <TypeChoice types={types} onChange={chosen} />
          <div className={overview.views}>
            <Button onPress={() => change({ view: isList ? "" : "list" })}>
              {isList ? <Network size={16} aria-hidden="true" /> : <List size={16} aria-hidden="true" />}
              <span>{t(isList ? "graph.as_drawing" : "graph.as_list")}</span>
            </Button>
          </div>
        </div>
      )}
      {isList ? (
        <Entities q={q} types={types} scope={scope} onClear={() => change({ q: "", types: "", type: "" })} />
      ) : (
        <OverviewPanel types={types} scope={scope} isEmptyHall={t(isOwnChoice ? "graph.no_overview" : "graph.empty")} />
      )}
    </>
  );
}

function Entities({ q, types, scope, onClear }: { q: string | undefined; types: readonly EntityType[]; scope: Scope; onClear: () => void }) {
  const t = useText();
  const [, navigate] = useLocation();
  const entities = usePages(["kg", "entities", q, types.join(), scope], (cursor) => loadEntities({ q, types, scope }, cursor));
  const isFiltered = Boolean(q) || types.join() !== LEADING.join();
  return (
    <RowList
      label={t("nav.graph")}
      pages={entities}
      idOf={(entity) => entity.id}
      onOpen={(entity) => navigate(pathOf(entity.id, scope))}
      empty={{
        text: isFiltered ? t("list.no_matches") : t("graph.empty"),
        action: isFiltered && <Button onPress={onClear}>{t("action.clear_filters")}</Button>,
      }}
      row={(entity) => {
        const Icon = ICONS[entity.type];
        return (
          <>
            <Icon size={16} className={styles.icon} aria-hidden="true" />
            <RowTitle>
              <span dir="auto">{entity.name}</span>
              {entity.aliases.length > 0 && (
                <span className={styles.aliases} dir="auto">
                  {entity.aliases.join(" · ")}
                </span>
              )}
            </RowTitle>
            <RowMeta>
              <span className={styles.related} dir="auto">
                {entity.relations.map((relation) => relation.entity.name).slice(0, 3).join(", ")}
              </span>
            </RowMeta>
            {entity.related !== undefined && <RowMeta>{t("graph.related", { count: entity.related })}</RowMeta>}
            <RowMeta>{t(`graph.${entity.type}`)}</RowMeta>
          </>
        );
      }}
    />
  );
}
