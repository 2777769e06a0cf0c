import { useMutation, useQueryClient } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Table } from "@guildhall/console/ui/Table";
import { Time } from "@guildhall/console/ui/Time";
import type { Entity } from "./entities";

/** What was merged into it and can still be taken out again. */
export function MergedHere({ entity }: { entity: Entity }) {
  const t = useText();
  const client = useQueryClient();
  const unmerge = useMutation({
    mutationFn: (id: string) =>
      dataOf(api.POST("/api/kg/entities/{id}/unmerge", { params: { path: { id: entity.id } }, body: { from: [id] } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["kg"] }),
  });
  return (
    <Panel title={t("graph.merged")}>
      {unmerge.isError && <ProblemNotice problem={unmerge.error} />}
      <Table
        label={t("graph.merged")}
        items={entity.merged ?? []}
        idOf={({ id }) => id}
        columns={[
          { id: "name", name: t("list.name"), cell: ({ name }) => <span dir="auto">{name}</span> },
          { id: "at", name: t("list.updated"), isSecondary: true, cell: ({ merged_at: at }) => <Time at={at} /> },
        ]}
        actions={({ id, name }) => (
          <Button kind="quiet" aria-label={`${t("graph.unmerge")}: ${name}`} onPress={() => unmerge.mutate(id)}>
            {t("graph.unmerge")}
          </Button>
        )}
      />
    </Panel>
  );
}
