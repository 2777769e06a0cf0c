import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Power, Trash2 } from "lucide-react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useHall } from "@guildhall/console/hall";
import { Button } from "@guildhall/console/ui/Button";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import type { Workflow } from "./workflow";

/** Turns a workflow off and on; one of the team's own can be deleted. Runs that began go on. */
export function WorkflowActions({ workflow }: { workflow: Workflow }) {
  const { t, confirm, navigate } = useHall();
  const client = useQueryClient();
  const { slug, name, enabled, source } = workflow;
  const path = { params: { path: { slug } } };
  const turn = useMutation({
    mutationFn: () => dataOf(api.PATCH("/api/workflows/{slug}", { ...path, body: { enabled: !enabled } })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["workflow", slug] });
      void client.invalidateQueries({ queryKey: ["workflows"] });
    },
  });
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE("/api/workflows/{slug}", path)),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["workflows"] });
      navigate("/workflows");
    },
  });
  const ask = async () => {
    const isSure = await confirm({ title: t("workflows.delete_title", { name }), text: t("workflows.delete_about"), action: t("action.delete"), isDangerous: true });
    if (isSure) remove.mutate();
  };
  const problem = turn.error ?? remove.error;
  return (
    <>
      {problem && <ProblemNotice problem={problem} />}
      <Button kind="quiet" isPending={turn.isPending} onPress={() => turn.mutate()}>
        <Power size={16} />
        {t(enabled ? "workflows.turn_off" : "workflows.turn_on")}
      </Button>
      {source === null && (
        <Button kind="quiet" isPending={remove.isPending} onPress={() => void ask()}>
          <Trash2 size={16} />
          {t("action.delete")}
        </Button>
      )}
    </>
  );
}
