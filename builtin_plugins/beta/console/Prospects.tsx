import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useLive } from "@guildhall/console/api/live";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { CopyButton } from "@guildhall/console/ui/CopyButton";
import { downloadText } from "@guildhall/console/ui/download";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { PhraseField } from "@guildhall/console/ui/PhraseField";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useFilters } from "@guildhall/console/ui/query";
import { RowList, RowMeta, RowTitle } from "@guildhall/console/ui/RowList";
import { Select } from "@guildhall/console/ui/Select";
import { Time } from "@guildhall/console/ui/Time";
import { usePages } from "@guildhall/console/ui/usePages";
import { emailOf, isStatus, STATUSES, titleOf, type Prospect } from "./prospect";
import { ProspectStatus } from "./ProspectStatus";
import styles from "./Beta.module.css";

const ANY = "any";

/** Who signed up on the team's page, with what a model thinks of them. */
export function Prospects() {
  const t = useText();
  const [, navigate] = useLocation();
  const [filters, change] = useFilters();
  const { status, q } = filters;
  const wanted = { ...(isStatus(status) && { status }), ...(q && { q }) };
  useLive("/api/beta/prospects", ["beta", "prospects"], ["beta", "prospect"]);
  const prospects = usePages<Prospect>(["beta", "prospects", status, q], async (cursor) => {
    const page = await dataOf(api.GET("/api/beta/prospects", { params: { query: { ...wanted, ...cursor } } }));
    // The row answers a table too, where one asks for it.
    return page as Exclude<typeof page, string>;
  });
  const exported = useMutation({
    mutationFn: async () => {
      const query = { ...wanted, format: "csv" as const };
      const { data } = await api.GET("/api/beta/prospects", { params: { query }, parseAs: "text" });
      downloadText("prospects.csv", data as unknown as string, "text/csv");
    },
  });
  const isFiltered = Boolean(status || q);
  const isEmpty = prospects.data?.pages[0]?.items.length === 0 && !isFiltered;
  return (
    <>
      <PageHead title={t("nav.prospects")} text={t("prospects.intro")}>
        {!isEmpty && (
          <Button isPending={exported.isPending} onPress={() => exported.mutate()}>
            <Download size={16} />
            {t("action.export_csv")}
          </Button>
        )}
      </PageHead>
      {exported.isError && <ProblemNotice problem={exported.error} />}
      <div className={styles.filters} role="search">
        <PhraseField className={styles.search} label={t("prospects.search")} value={q ?? ""} onChange={(typed) => change({ q: typed })} />
        <Select
          label={t("list.status")}
          isLabelHidden
          options={[{ id: ANY, name: t("l10n.any_status") }, ...STATUSES.map((id) => ({ id, name: t(`prospects.${id}`) }))]}
          value={status ?? ANY}
          onChange={(id) => change({ status: id === ANY ? "" : id })}
        />
      </div>
      <RowList
        label={t("nav.prospects")}
        pages={prospects}
        idOf={(prospect) => prospect.id}
        onOpen={(prospect) => navigate(`/beta-program/prospects/${prospect.id}`)}
        empty={{
          text: isFiltered ? t("list.no_matches") : t("prospects.empty"),
          action: isFiltered ? (
            <Button onPress={() => change({ q: "", status: "" })}>{t("action.clear_filters")}</Button>
          ) : (
            <p className={styles.address}>
              <code>{`${location.origin}/beta/template`}</code>
              <CopyButton text={`${location.origin}/beta/template`} />
            </p>
          ),
        }}
        row={(prospect) => (
          <>
            <RowTitle>
              <span dir="auto">{titleOf(prospect)}</span>
              {titleOf(prospect) !== emailOf(prospect) && <span className={styles.second}>{emailOf(prospect)}</span>}
            </RowTitle>
            {prospect.verdict && (
              <RowMeta>
                <span className={styles.score}>{t("prospects.score", { score: prospect.verdict.score })}</span>
              </RowMeta>
            )}
            <RowMeta>
              <ProspectStatus prospect={prospect} />
            </RowMeta>
            <RowMeta>
              <Time at={prospect.created_at} />
            </RowMeta>
          </>
        )}
      />
    </>
  );
}
