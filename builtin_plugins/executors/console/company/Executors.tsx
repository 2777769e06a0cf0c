import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity, useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePages } from "@guildhall/console/ui/usePages";
import cells from "@guildhall/console/ui/Cells.module.css";
import { NewExecutor } from "./NewExecutor";
import { SectionHead } from "@guildhall/console/ui/PageHead";

const MARKS = { ok: "active", down: "failed", unknown: "unknown" } as const;

/** Which models the company's teams can use: everybody's and its own. */
export function Executors() {
  const t = useText();
  const may = useMay();
  const announce = useAnnounce();
  const client = useQueryClient();
  const { org } = useIdentity();
  const [isMaking, setMaking] = useState(false);
  const executors = usePages(["executors", "pages"], (cursor) => dataOf(api.GET("/api/executors", { params: { query: cursor } })));
  const refetch = () => void client.invalidateQueries({ queryKey: ["executors"] });
  const probe = useMutation({
    mutationFn: (id: string) => dataOf(api.POST("/api/executors/{id}/probe", { params: { path: { id } } })),
    onSuccess: ({ health, turn }) => announce(health.status === "down" || turn?.ok === false ? t("executors.down", { detail: turn?.detail ?? health.detail ?? "" }) : t("executors.health_ok")),
    onSettled: refetch,
  });
  const manages = may("org:manage");
  return (
    <>
      <SectionHead title={t("nav.executors")}>
        {manages && (
          <Button kind="primary" onPress={() => setMaking(true)}>
            <Plus size={16} aria-hidden="true" />
            {t("executors.new")}
          </Button>
        )}
      </SectionHead>
      {probe.isError && <ProblemNotice problem={probe.error} />}
      <PagedTable
        label={t("nav.executors")}
        pages={executors}
        idOf={({ id }) => id}
        empty={{ text: t("executors.none") }}
        columns={[
          {
            id: "name",
            name: t("list.name"),
            cell: ({ name, url, model }) => (
              <span className={cells.person}>
                <span className={cells.strong}>{name}</span>
                <span className={cells.aside}>{[model, url].filter(Boolean).join(" · ")}</span>
              </span>
            ),
          },
          { id: "mode", name: t("executors.mode"), isSecondary: true, cell: ({ mode }) => t(`executors.${mode}`) },
          { id: "whose", name: t("executors.for"), isSecondary: true, cell: ({ org_id }) => (org_id ? t("executors.for_company") : t("executors.for_all")) },
          {
            id: "health",
            name: t("list.status"),
            cell: ({ health }) => (
              <StateMark
                state={MARKS[health.status]}
                text={health.status === "ok" ? t("executors.health_ok") : health.status === "down" ? t("executors.down", { detail: health.detail ?? "" }) : t("state.unknown")}
              />
            ),
          },
        ]}
        actions={({ id, name, mode, org_id }) =>
          manages && mode === "push" && org_id === org.id ? (
            <Button kind="quiet" aria-label={`${t("executors.try")}: ${name}`} isPending={probe.isPending && probe.variables === id} onPress={() => probe.mutate(id)}>
              {t("executors.try")}
            </Button>
          ) : null
        }
      />
      {isMaking && <NewExecutor onClose={() => setMaking(false)} onMade={refetch} />}
    </>
  );
}
