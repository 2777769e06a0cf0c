import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useMemo, useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useTexts } from "@guildhall/console/i18n/texts";
import { useInstance } from "@guildhall/console/instance";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { RowList } from "@guildhall/console/ui/RowList";
import { Select } from "@guildhall/console/ui/Select";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { useFilters } from "@guildhall/console/ui/query";
import { usePages } from "@guildhall/console/ui/usePages";
import { languageName, languageOptions } from "../translate/languages";
import styles from "./Glossary.module.css";
import { ImportTerms } from "./ImportTerms";
import { TermDialog } from "./TermDialog";
import type { Term } from "./terms";

const ALL = "all";

/** What words must be in other languages; members read it, admins write it. */
export default function Glossary() {
  const { t, locale } = useTexts();
  const may = useMay();
  const announce = useAnnounce();
  const client = useQueryClient();
  const { config } = useInstance();
  const [filters, setFilters] = useFilters();
  const [open, setOpen] = useState<Term | "new" | null>(null);
  const [isImporting, setImporting] = useState(false);
  const target = filters.target ?? null;
  const options = useMemo(() => languageOptions(locale, target ? [target] : []), [locale, target]);
  const terms = usePages(["glossary", target], (cursor) =>
    dataOf(api.GET("/api/glossary", { params: { query: { ...cursor, ...(target && { target }) } } })),
  );
  const refresh = () => client.invalidateQueries({ queryKey: ["glossary"] });
  const put = ({ target: language, term, translation, note }: Term) =>
    dataOf(api.POST("/api/glossary", { body: { target: language, term, translation, note } })).then(refresh);
  const remove = useMutation({
    mutationFn: ({ id }: Term) => dataOf(api.DELETE("/api/glossary/{id}", { params: { path: { id } } })),
    onSuccess: (_, removed) => {
      void refresh();
      announce(t("glossary.removed", { term: removed.term }), () => void put(removed));
    },
  });
  const add = may("settings:manage") && (
    <Button kind="primary" onPress={() => setOpen("new")}>
      <Plus size={16} aria-hidden="true" />
      {t("glossary.add")}
    </Button>
  );
  const first = config.localization.locales.find(({ code }) => code !== "en")?.code ?? "en";
  return (
    <>
      <PageHead title={t("nav.glossary")} text={t("glossary.intro")}>
        {may("settings:manage") && <Button onPress={() => setImporting(true)}>{t("glossary.import")}</Button>}
        {terms.data?.pages[0]?.items.length !== 0 && add}
      </PageHead>
      <div className={styles.bar}>
        <div className={styles.filter}>
          <Select
            label={t("glossary.language")}
            isLabelHidden
            value={target ?? ALL}
            options={[{ id: ALL, name: t("glossary.all_languages") }, ...options]}
            onChange={(tag) => setFilters({ target: tag === ALL ? "" : tag })}
          />
        </div>
      </div>
      {remove.isError && <ProblemNotice problem={remove.error} />}
      <RowList
        label={t("nav.glossary")}
        pages={terms}
        idOf={({ id }) => id}
        onOpen={setOpen}
        empty={{ text: t(target ? "glossary.none_here" : "glossary.empty"), action: add }}
        row={(term) => (
          <>
            <bdi className={styles.term}>{term.term}</bdi>
            <bdi className={styles.translation} lang={term.target}>
              {term.translation}
            </bdi>
            <bdi className={styles.note}>{term.note}</bdi>
            <span className={styles.language}>{languageName(term.target, locale)}</span>
          </>
        )}
      />
      {isImporting && <ImportTerms target={target ?? first} onClose={() => setImporting(false)} />}
      <TermDialog
        term={open}
        target={target ?? first}
        onClose={() => setOpen(null)}
        onRemove={(term) => {
          setOpen(null);
          remove.mutate(term);
        }}
      />
    </>
  );
}
