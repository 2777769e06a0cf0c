import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import type { paths } from "@guildhall/console/api/schema";
import { useText } from "@guildhall/console/i18n/texts";
import { ActionMenu } from "@guildhall/console/ui/ActionMenu";
import { Button } from "@guildhall/console/ui/Button";
import { ConfirmByName } from "@guildhall/console/ui/ConfirmByName";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Table } from "@guildhall/console/ui/Table";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePages } from "@guildhall/console/ui/usePages";
import cells from "@guildhall/console/ui/Cells.module.css";
import { NewExecutor } from "./NewExecutor";

type Executor = paths["/api/executors"]["get"]["responses"]["200"]["content"]["application/json"]["items"][number];

const STATES: Record<string, string> = { ok: "on", down: "failed", unknown: "queued" };

/** What runs model work: here, at an endpoint, or by workers that claim it. */
export function Executors() {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [adds, setAdds] = useState(false);
  const [retired, setRetired] = useState<Executor | null>(null);
  const executors = usePages(["executors", "all"], (cursor) => dataOf(api.GET("/api/executors", { params: { query: cursor } })));
  const probe = useMutation({
    mutationFn: ({ id }: Executor) => dataOf(api.POST("/api/executors/{id}/probe", { params: { path: { id } } })),
    onSuccess: ({ health }, { name }) => {
      announce(`${name}: ${t(`executors.health_${health.status}`)}`);
      void client.invalidateQueries({ queryKey: ["executors"] });
    },
  });
  const items = executors.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <PageHead title={t("nav.executors")} text={t("executors.text")}>
        <Button kind="primary" onPress={() => setAdds(true)}>
          <Plus size={16} />
          {t("executors.new")}
        </Button>
      </PageHead>
      {probe.isError && <ProblemNotice problem={probe.error} />}
      {executors.isPending ? (
        <SkeletonRows />
      ) : executors.isLoadingError ? (
        <ProblemNotice problem={executors.error} onRetry={() => void executors.refetch()} />
      ) : (
        <Table<Executor>
          label={t("nav.executors")}
          items={items}
          idOf={({ id }) => id}
          columns={[
            {
              id: "name",
              name: t("list.name"),
              cell: (one) => (
                <span className={cells.name}>
                  <span className={cells.strong} dir="auto">
                    {one.name}
                  </span>
                  <span className={cells.muted}>{one.url ?? t(`executors.mode_${one.mode}_text`)}</span>
                </span>
              ),
            },
            { id: "mode", name: t("executors.mode"), cell: ({ mode }) => t(`executors.mode_${mode}`), isSecondary: true },
            { id: "model", name: t("chat.model"), cell: ({ model }) => model ?? "–", isSecondary: true },
            { id: "health", name: t("executors.health"), cell: ({ health }) => <Health health={health} /> },
            { id: "source", name: t("executors.source"), cell: ({ source }) => t(`executors.source_${source}`), isSecondary: true },
          ]}
          actions={(one) => (
            <ActionMenu
              of={one.name}
              actions={[
                ...(one.mode === "push" ? [{ id: "probe", name: t("executors.probe"), onAction: () => probe.mutate(one) }] : []),
                ...(one.source === "api" ? [{ id: "retire", name: t("executors.retire"), isDangerous: true, onAction: () => setRetired(one) }] : []),
              ]}
            />
          )}
        />
      )}
      {executors.hasNextPage && (
        <Button isPending={executors.isFetchingNextPage} onPress={() => void executors.fetchNextPage()}>
          {t("action.show_more")}
        </Button>
      )}
      {adds && <NewExecutor onClose={() => setAdds(false)} />}
      {retired && (
        <ConfirmByName
          title={t("executors.retire")}
          text={t("executors.retire_confirm", { name: retired.name })}
          name={retired.name}
          action={t("executors.retire")}
          isOpen
          onClose={() => setRetired(null)}
          onConfirm={async () => {
            await api.DELETE("/api/executors/{id}", { params: { path: { id: retired.id } } });
            await client.invalidateQueries({ queryKey: ["executors"] });
          }}
        />
      )}
    </>
  );
}

function Health({ health: { status, detail, checked_at } }: { health: Executor["health"] }) {
  const t = useText();
  return (
    <span className={cells.name}>
      <StateMark state={STATES[status] ?? status} text={t(`executors.health_${status}`)} />
      {(detail || checked_at) && (
        <span className={cells.muted}>
          {detail}
          {detail && checked_at && " · "}
          {checked_at && <Time at={checked_at} />}
        </span>
      )}
    </span>
  );
}
