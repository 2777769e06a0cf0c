import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import type { paths } from "@guildhall/console/api/schema";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Checkbox } from "@guildhall/console/ui/Checkbox";
import { Form } from "@guildhall/console/ui/Form";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { fieldsOf, firstEntries, readEntries, type Entries, type Fault, type DeclaredInput } from "@guildhall/console/ui/inputs";
import { InputFields } from "@guildhall/console/ui/InputFields";
import { GIVEN_INPUT, typesIn, type NewTriggerBody, type Trigger } from "./trigger";
import styles from "./TriggerForm.module.css";

const BLANK = { workflow_slug: "", match_prefix: "", match_types: [], input: {}, fire_on_derived: false };

export function NewTrigger() {
  return <TriggerForm />;
}

export function EditTrigger({ id }: { id: string }) {
  const trigger = useQuery({
    queryKey: ["trigger", id, "edited"],
    queryFn: () => dataOf(api.GET("/api/doc-triggers/{id}", { params: { path: { id } } })),
    staleTime: Infinity,
    gcTime: 0,
  });
  if (trigger.isPending) return <SkeletonRows />;
  if (trigger.isLoadingError) return <ProblemNotice problem={trigger.error} onRetry={() => void trigger.refetch()} />;
  return <TriggerForm trigger={trigger.data} />;
}

function TriggerForm({ trigger }: { trigger?: Trigger }) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const first = trigger ?? BLANK;
  const [slug, setSlug] = useState(first.workflow_slug);
  const [prefix, setPrefix] = useState(first.match_prefix);
  const [types, setTypes] = useState(first.match_types.join(", "));
  const [derived, setDerived] = useState(first.fire_on_derived);
  const [typed, setTyped] = useState<Entries>({});
  const [faults, setFaults] = useState<Record<string, Fault>>({});
  const workflows = useWorkflowNames();
  const workflow = workflows.data?.items.find((one) => one.slug === slug);
  const fields = useMemo(() => inputsToGive(workflow), [workflow]);
  const entries = { ...firstEntries(fields, slug === first.workflow_slug ? first.input : {}), ...typed };
  const save = useMutation({
    mutationFn: (body: NewTriggerBody) =>
      trigger
        ? dataOf(api.PATCH("/api/doc-triggers/{id}", { params: { path: { id: trigger.id } }, body }))
        : dataOf(api.POST("/api/doc-triggers", { body })),
    onSuccess: ({ id, warnings }) => {
      void client.invalidateQueries({ queryKey: ["triggers"] });
      void client.invalidateQueries({ queryKey: ["trigger", id] });
      announce(warnings[0] ? t("triggers.saved_warned", { warning: warnings[0].message }) : t("state.saved"));
      navigate(`/triggers/${id}`);
    },
  });
  const submit = () => {
    const read = readEntries(fields, entries);
    setFaults(read.faults);
    if (Object.keys(read.faults).length > 0) return;
    save.mutate({
      workflow_slug: slug,
      match_prefix: prefix,
      match_types: typesIn(types),
      input: read.input as Record<string, never>,
      fire_on_derived: derived,
    });
  };
  const problem = save.error instanceof Problem ? save.error : null;
  const typeFault = problem?.faults.find(({ pointer }) => pointer.startsWith("/match_types"))?.message;
  const back = trigger ? `/triggers/${trigger.id}` : "/triggers";
  return (
    <>
      <PageHead title={trigger ? t("triggers.edit") : t("triggers.new")} text={t("triggers.about_run")} />
      <Form name="trigger" className={styles.form} onSubmit={() => submit()}>
        {save.error && <ProblemNotice problem={save.error} />}
        <Select
          label={t("triggers.workflow")}
          isRequired
          options={(workflows.data?.items ?? []).map(({ slug: id, name }) => ({ id, name }))}
          value={slug || null}
          onChange={setSlug}
          {...withFault(problem?.at("/workflow_slug"))}
        />
        <TextField label={t("triggers.prefix")} help={t("triggers.prefix_help")} value={prefix} onChange={setPrefix} {...withFault(problem?.at("/match_prefix"))} />
        <TextField label={t("triggers.types")} help={t("triggers.types_help")} value={types} onChange={setTypes} {...withFault(typeFault)} />
        <Checkbox isSelected={derived} onChange={setDerived}>
          {t("triggers.derived")}
        </Checkbox>
        {fields.length > 0 && (
          <fieldset className={styles.inputs}>
            <legend>{t("workflows.inputs_label")}</legend>
            <InputFields fields={fields} entries={entries} faults={faults} problem={problem} onChange={(one) => setTyped((all) => ({ ...all, ...one }))} />
          </fieldset>
        )}
        <div className={styles.actions}>
          <Button kind="primary" type="submit" isPending={save.isPending}>
            {trigger ? t("action.save_changes") : t("triggers.create")}
          </Button>
          <Button onPress={() => navigate(back)}>{t("action.cancel")}</Button>
        </div>
      </Form>
    </>
  );
}

function useWorkflowNames() {
  return useQuery({
    queryKey: ["workflows", "names"],
    queryFn: () => dataOf(api.GET("/api/workflows", { params: { query: { limit: 200 } } })),
  });
}

type WorkflowSummary = paths["/api/workflows"]["get"]["responses"]["200"]["content"]["application/json"]["items"][number];

function inputsToGive(workflow: WorkflowSummary | undefined) {
  return workflow ? fieldsOf(workflow.inputs as Record<string, DeclaredInput>).filter(({ name }) => name !== GIVEN_INPUT) : [];
}

const withFault = (fault: string | undefined) => (fault ? { fault } : {});
