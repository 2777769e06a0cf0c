import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Checkbox } from "@guildhall/console/ui/Checkbox";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { PhraseField } from "@guildhall/console/ui/PhraseField";
import { useFilters } from "@guildhall/console/ui/query";
import { RowList, RowMeta, RowTitle } from "@guildhall/console/ui/RowList";
import { Select } from "@guildhall/console/ui/Select";
import { usePages } from "@guildhall/console/ui/usePages";
import { ICONS, loadEntities, pathOf, TYPES, type Scope } from "./entities";
import { Extraction } from "./Extraction";
import styles from "./Knowledge.module.css";

const ANY = "any";

/** Search first: by a part of a name, by kind, in the team or the whole company. */
export function Explorer() {
  const t = useText();
  const may = useMay();
  const [, navigate] = useLocation();
  const [filters, change] = useFilters();
  const { q, type } = filters;
  const scope: Scope = filters.scope === "org" && may("org:read") ? "org" : "team";
  const entities = usePages(["kg", "entities", q, type, scope], (cursor) => loadEntities({ q, type, scope }, cursor));
  const types = TYPES.map((id) => ({ id, name: t(`graph.${id}`) }));
  const isFiltered = Boolean(q || type);
  return (
    <>
      <PageHead title={t("nav.graph")} text={t("graph.intro")}>
        <Extraction />
      </PageHead>
      <div className={styles.filters} role="search">
        <PhraseField className={styles.search} autoFocus label={t("graph.search")} value={q ?? ""} onChange={(typed) => change({ q: typed })} />
        <Select
          label={t("list.type")}
          isLabelHidden
          options={[{ id: ANY, name: t("graph.any_type") }, ...types]}
          value={type ?? ANY}
          onChange={(id) => change({ type: id === ANY ? "" : id })}
        />
        {may("org:read") && (
          <Checkbox isSelected={scope === "org"} onChange={(on) => change({ scope: on ? "org" : "" })}>
            {t("notes.show_company")}
          </Checkbox>
        )}
      </div>
      <RowList
        label={t("nav.graph")}
        pages={entities}
        idOf={(entity) => entity.id}
        onOpen={(entity) => navigate(pathOf(entity.id, scope))}
        empty={{
          text: isFiltered ? t("list.no_matches") : t("graph.empty"),
          action: isFiltered && <Button onPress={() => change({ q: "", type: "" })}>{t("action.clear_filters")}</Button>,
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
              <RowMeta>{t(`graph.${entity.type}`)}</RowMeta>
            </>
          );
        }}
      />
    </>
  );
}
