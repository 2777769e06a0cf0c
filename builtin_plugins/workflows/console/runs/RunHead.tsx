import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { PageHead } from "@guildhall/console/ui/PageHead";
import menu from "@guildhall/console/ui/Popover.module.css";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { useWorkflow } from "../workflows/workflow";
import { hasContents, type Run } from "./run";
import styles from "./RunHead.module.css";

export function RunHead({ run }: { run: Run }) {
  const t = useText();
  const may = useMay();
  const client = useQueryClient();
  const { slug, version } = run.workflow;
  const { data: ran } = useWorkflow(slug, version);
  const cancel = useMutation({
    mutationFn: () => dataOf(api.POST("/api/runs/{id}/cancel", { params: { path: { id: run.id } } })),
    onSuccess: (cancelled) => {
      client.setQueryData(["run", run.id], cancelled);
      void client.invalidateQueries({ queryKey: ["runs"] });
    },
  });
  return (
    <>
      <PageHead title={t("runs.title", { workflow: ran?.name ?? slug })}>
        <span role="status" className={styles.state}>
          <StateMark state={run.state} />
        </span>
        {run.state === "running" && may("workflows:run") && (
          <Button isPending={cancel.isPending} onPress={() => cancel.mutate()}>
            {t("runs.cancel")}
          </Button>
        )}
        {run.state !== "running" && may("workflows:run") && hasContents(run) && <Again run={run} />}
      </PageHead>
      {cancel.error && <ProblemNotice problem={cancel.error} />}
    </>
  );
}

type Where = "failed" | "start";

/** Runs it again: what failed from its failed step or anew, with this version or the current one; else by the form. */
function Again({ run }: { run: Run }) {
  const t = useText();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { slug, version } = run.workflow;
  const current = useWorkflow(slug);
  const retry = useMutation({
    mutationFn: (from: { from: Where; version: "same" | "current" }) =>
      dataOf(api.POST("/api/runs/{id}/retry", { params: { path: { id: run.id } }, body: from })),
    onSuccess: (begun) => {
      void client.invalidateQueries({ queryKey: ["runs"] });
      client.setQueryData(["run", begun.id], begun);
      navigate(`/runs/${begun.id}`);
    },
  });
  if (run.state === "succeeded") {
    if (!current.data) return null;
    return (
      <Button onPress={() => navigate(`/workflows/${slug}/run?like=${run.id}`)}>
        <RotateCcw size={16} />
        {t("runs.again")}
      </Button>
    );
  }
  const newer = current.data && current.data.version !== version ? current.data.version : null;
  const starts: { id: string; name: string; from: Where; version: "same" | "current" }[] = [
    { id: "failed", name: t("runs.from_failed"), from: "failed", version: "same" },
    { id: "start", name: t("runs.from_start"), from: "start", version: "same" },
  ];
  if (newer !== null) {
    starts.push(
      { id: "failed-newer", name: t("runs.from_failed_newer", { version: newer }), from: "failed", version: "current" },
      { id: "start-newer", name: t("runs.from_start_newer", { version: newer }), from: "start", version: "current" },
    );
  }
  return (
    <>
      <MenuTrigger>
        <Button kind="primary" isPending={retry.isPending}>
          <RotateCcw size={16} />
          {t("runs.again")}
        </Button>
        <Popover className={menu.popover ?? ""} placement="bottom end">
          <Menu className={menu.list ?? ""} aria-label={t("runs.again")}>
            {starts.map(({ id, name, ...from }) => (
              <MenuItem key={id} id={id} className={menu.item ?? ""} onAction={() => retry.mutate(from)}>
                {name}
              </MenuItem>
            ))}
          </Menu>
        </Popover>
      </MenuTrigger>
      {retry.error && <ProblemNotice problem={retry.error} />}
    </>
  );
}
