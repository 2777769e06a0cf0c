import { useQueryClient } from "@tanstack/react-query";
import { Pencil, Plus } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useTexts } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Panel } from "@guildhall/console/ui/Panel";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { Table } from "@guildhall/console/ui/Table";
import { Time } from "@guildhall/console/ui/Time";
import type { WholeCompany } from "./Company";
import { amountWords } from "@guildhall/console/ui/figures";
import cells from "@guildhall/console/ui/Cells.module.css";
import styles from "./Instance.module.css";
import { LimitDialog, type Limit } from "@guildhall/console/ui/LimitDialog";
import { useDimensionName } from "@guildhall/console/ui/dimensions";

type Quota = WholeCompany["quotas"][number];

/** What a company used, what it may use, and in which time. */
export function CompanyQuotas({ company, companyRef }: { company: WholeCompany; companyRef: string }) {
  const { t, locale } = useTexts();
  const [edited, setEdited] = useState<Limit | null>(null);
  const client = useQueryClient();
  const nameOf = useDimensionName();
  const save = async (body: Limit) => {
    await dataOf(api.POST("/api/orgs/{ref}/quota", { params: { path: { ref: companyRef } }, body }));
    await client.invalidateQueries({ queryKey: ["org", companyRef] });
  };
  const add = (
    <Button onPress={() => setEdited({ dimension: "ai.requests", window: "hour", limit: null })}>
      <Plus size={16} />
      {t("instance.limit_new")}
    </Button>
  );
  return (
    <Panel title={t("instance.quota")} actions={add}>
      <Table<Quota>
        label={t("instance.quota")}
        items={company.quotas}
        idOf={({ dimension, window }) => `${dimension} ${window}`}
        columns={[
          {
            id: "dimension",
            name: t("instance.dimension"),
            cell: ({ dimension, window }) => (
              <span className={cells.name}>
                <span className={cells.strong}>{nameOf(dimension)}</span> <span className={cells.muted}>{t(`instance.window_${window}`)}</span>
              </span>
            ),
          },
          { id: "used", name: t("usage.used"), isFigure: true, cell: (quota) => <Used quota={quota} /> },
          {
            id: "limit",
            name: t("usage.limit"),
            isFigure: true,
            cell: ({ dimension, limit }) => (limit === null ? t("usage.unlimited") : amountWords(dimension, limit, locale)),
          },
          {
            id: "resets",
            name: t("usage.resets_at"),
            isSecondary: true,
            cell: ({ resets_at }) => (resets_at ? <Time at={resets_at} /> : <span className={cells.muted}>–</span>),
          },
        ]}
        actions={(quota) => (
          <RowAction icon={Pencil} name={t("action.edit")} of={`${nameOf(quota.dimension)}, ${t(`instance.window_${quota.window}`)}`} onPress={() => setEdited(quota)} />
        )}
      />
      {edited && (
        <LimitDialog
          title={t("instance.limit_title")}
          given={edited}
          counted={company.quotas.map(({ dimension }) => dimension)}
          save={save}
          onClose={() => setEdited(null)}
        />
      )}
    </Panel>
  );
}

function Used({ quota: { dimension, used, limit } }: { quota: Quota }) {
  const { locale } = useTexts();
  const share = limit ? Math.min(1, used / limit) : limit === 0 ? 1 : 0;
  return (
    <>
      {amountWords(dimension, used, locale)}
      {limit !== null && (
        <div className={styles.meter} data-full={share >= 0.9 ? "" : undefined} aria-hidden="true">
          <span style={{ width: `${share * 100}%` }} />
        </div>
      )}
    </>
  );
}
