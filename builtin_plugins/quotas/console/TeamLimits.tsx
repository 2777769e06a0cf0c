import { useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Panel } from "@guildhall/console/ui/Panel";
import { LimitDialog, type Limit } from "@guildhall/console/ui/LimitDialog";
import { QuotaBars } from "./QuotaBars";
import type { Quota } from "@guildhall/console/ui/quotas";

/** What the team may use; who operates the instance changes it here. */
export function TeamLimits({ quotas }: { quotas: readonly Quota[] }) {
  const t = useText();
  const may = useMay();
  const client = useQueryClient();
  const [edited, setEdited] = useState<Limit | null>(null);
  const mayLimit = may("instance:manage");
  const save = async (body: Limit) => {
    await dataOf(api.POST("/api/quota", { body }));
    await client.invalidateQueries({ queryKey: ["usage"] });
  };
  const add = mayLimit && (
    <Button onPress={() => setEdited({ dimension: "ai.requests", window: "hour", limit: null })}>
      <Plus size={16} aria-hidden="true" />
      {t("instance.limit_new")}
    </Button>
  );
  return (
    <Panel title={t("usage.team")} actions={add}>
      <QuotaBars quotas={quotas} onEdit={mayLimit ? setEdited : undefined} />
      {edited && (
        <LimitDialog
          title={t("usage.limit_title")}
          given={edited}
          counted={quotas.map(({ dimension }) => dimension)}
          save={save}
          onClose={() => setEdited(null)}
        />
      )}
    </Panel>
  );
}
