import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useMemo, useState } from "react";
import { useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { newIdempotencyKey } from "./idempotency";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useFilters } from "@guildhall/console/ui/query";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { fieldsOf, firstEntries, readEntries, type Entries, type Fault } from "@guildhall/console/ui/inputs";
import { InputFields } from "@guildhall/console/ui/InputFields";
import { isRecord } from "./spec";
import { declaredInputs, useWorkflow, type Workflow } from "./workflow";
import styles from "./WorkflowRun.module.css";

/** Starts a run, with a form of what the workflow declares; `?like=` names a run whose input to begin with. */
export function WorkflowRun({ slug }: { slug: string }) {
  const [{ like }] = useFilters();
  const workflow = useWorkflow(slug);
  const before = useQuery({
    queryKey: ["run", like],
    queryFn: () => dataOf(api.GET("/api/runs/{id}", { params: { path: { id: like ?? "" } } })),
    enabled: Boolean(like),
  });
  if (workflow.isPending || (like && before.isPending)) return <SkeletonRows />;
  if (workflow.isLoadingError) return <ProblemNotice problem={workflow.error} onRetry={() => void workflow.refetch()} />;
  const given = isRecord(before.data?.input) ? before.data.input : {};
  return <RunForm workflow={workflow.data} given={given} />;
}

function RunForm({ workflow, given }: { workflow: Workflow; given: Record<string, unknown> }) {
  const t = useText();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { slug, name, version } = workflow;
  const fields = useMemo(() => fieldsOf(declaredInputs(workflow)), [workflow]);
  const [entries, setEntries] = useState<Entries>(() => firstEntries(fields, given));
  const [faults, setFaults] = useState<Record<string, Fault>>({});
  // Pressed twice, or sent again after the network was gone, it is one run.
  const [key, setKey] = useState(newIdempotencyKey);
  const start = useMutation({
    mutationFn: (input: Record<string, unknown>) =>
      dataOf(
        api.POST("/api/workflows/{slug}/run", {
          params: { path: { slug } },
          body: { input: input as Record<string, never> },
          headers: { "Idempotency-Key": key },
        }),
      ),
    onSuccess: (run) => {
      void client.invalidateQueries({ queryKey: ["runs"] });
      client.setQueryData(["run", run.id], run);
      navigate(`/runs/${run.id}`);
    },
  });
  const submit = () => {
    const read = readEntries(fields, entries);
    setFaults(read.faults);
    if (Object.keys(read.faults).length === 0) start.mutate(read.input);
  };
  const problem = start.error instanceof Problem ? start.error : null;
  return (
    <>
      <PageHead title={t("workflows.run_title", { name })} text={`${slug} · ${t("workflows.version", { version })}`} />
      <Form name="run-workflow" className={styles.form} onSubmit={() => submit()}>
        {start.error && <ProblemNotice problem={start.error} />}
        {fields.length === 0 && <p className={styles.none}>{t("workflows.no_inputs")}</p>}
        <InputFields
          fields={fields}
          entries={entries}
          faults={faults}
          problem={problem}
          onChange={(changed) => {
            setEntries((all) => ({ ...all, ...changed }));
            setKey(newIdempotencyKey());
          }}
        />
        <div className={styles.actions}>
          <Button kind="primary" type="submit" isPending={start.isPending}>
            <Play size={16} />
            {t("workflows.run")}
          </Button>
          <Button onPress={() => navigate(`/workflows/${slug}/steps`)}>{t("action.cancel")}</Button>
        </div>
      </Form>
    </>
  );
}
