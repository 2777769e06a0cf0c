import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Checkbox } from "@guildhall/console/ui/Checkbox";
import { Form } from "@guildhall/console/ui/Form";
import { InputFields } from "@guildhall/console/ui/InputFields";
import { fieldsOf, firstEntries, readEntries, type DeclaredInput, type Entries, type Fault } from "@guildhall/console/ui/inputs";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { MISSED, OVERLAPS, type Missed, type Overlap, type Schedule, type ScheduleBody } from "./schedule";
import styles from "./Schedules.module.css";
import { firstTiming, timingBody, WhenFields } from "./WhenFields";

export function NewSchedule() {
  return <ScheduleForm />;
}

export function EditSchedule({ id }: { id: string }) {
  const schedule = useQuery({
    queryKey: ["schedule", id, "edited"],
    queryFn: () => dataOf(api.GET("/api/schedules/{id}", { params: { path: { id } } })),
    staleTime: Infinity,
    gcTime: 0,
  });
  if (schedule.isPending) return <SkeletonRows />;
  if (schedule.isLoadingError) return <ProblemNotice problem={schedule.error} onRetry={() => void schedule.refetch()} />;
  return <ScheduleForm schedule={schedule.data} />;
}

function ScheduleForm({ schedule }: { schedule?: Schedule }) {
  const t = useText();
  const [, navigate] = useLocation();
  const [slug, setSlug] = useState(schedule?.workflow_slug ?? "");
  const [timing, setTiming] = useState(() => firstTiming(schedule));
  const [missed, setMissed] = useState<Missed>(schedule?.missed ?? "last");
  const [overlap, setOverlap] = useState<Overlap>(schedule?.overlap ?? "skip");
  const [enabled, setEnabled] = useState(true);
  const inputs = useInputs(slug, schedule);
  const save = useSave(schedule);
  const problem = save.error instanceof Problem ? save.error : null;
  const submit = () => {
    const when = timingBody(timing);
    const input = inputs.read();
    if (when === null || input === null) return;
    const body = { workflow_slug: slug, ...when, input: input as Record<string, never>, missed, overlap };
    save.mutate(schedule ? body : { ...body, enabled });
  };
  const missedOptions = MISSED.map((id) => ({ id, name: t(`schedules.missed_${id}`) }));
  const overlapOptions = OVERLAPS.map((id) => ({ id, name: t(`schedules.overlap_${id}`) }));
  return (
    <>
      <PageHead title={schedule ? t("schedules.edit") : t("schedules.new")} text={t("schedules.about_run")} />
      <Form name="schedule" className={styles.form} onSubmit={submit}>
        {save.error && <ProblemNotice problem={save.error} />}
        <Select
          label={t("schedules.workflow")}
          isRequired
          isDisabled={schedule !== undefined && schedule.source !== null}
          options={inputs.workflows}
          value={slug || null}
          onChange={setSlug}
          {...withFault(problem?.at("/workflow_slug"))}
        />
        <WhenFields timing={timing} onChange={setTiming} problem={problem} />
        {inputs.fields.length > 0 && (
          <fieldset className={styles.inputs}>
            <legend>{t("workflows.inputs_label")}</legend>
            <InputFields fields={inputs.fields} entries={inputs.entries} faults={inputs.faults} problem={problem} onChange={inputs.type} />
          </fieldset>
        )}
        <Select label={t("schedules.missed")} options={missedOptions} value={missed} onChange={(id) => setMissed(id as Missed)} {...withFault(problem?.at("/missed"))} />
        <Select label={t("schedules.overlap")} options={overlapOptions} value={overlap} onChange={(id) => setOverlap(id as Overlap)} {...withFault(problem?.at("/overlap"))} />
        {!schedule && (
          <Checkbox isSelected={enabled} onChange={setEnabled}>
            {t("schedules.turn_on")}
          </Checkbox>
        )}
        <div className={styles.actions}>
          <Button kind="primary" type="submit" isPending={save.isPending}>
            {schedule ? t("action.save_changes") : t("schedules.create")}
          </Button>
          <Button onPress={() => navigate(schedule ? `/schedules/${schedule.id}` : "/schedules")}>{t("action.cancel")}</Button>
        </div>
      </Form>
    </>
  );
}

function useSave(schedule: Schedule | undefined) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: (body: ScheduleBody) =>
      schedule
        ? dataOf(api.PATCH("/api/schedules/{id}", { params: { path: { id: schedule.id } }, body }))
        : dataOf(api.POST("/api/schedules", { body })),
    onSuccess: ({ id }) => {
      void client.invalidateQueries({ queryKey: ["schedules"] });
      announce(t("state.saved"));
      navigate(`/schedules/${id}`);
    },
  });
}

/** What the chosen workflow is given, by what it declares. */
function useInputs(slug: string, schedule: Schedule | undefined) {
  const [typed, setTyped] = useState<Entries>({});
  const [faults, setFaults] = useState<Record<string, Fault>>({});
  const workflows = useQuery({
    queryKey: ["workflows", "names"],
    queryFn: () => dataOf(api.GET("/api/workflows", { params: { query: { limit: 200 } } })),
  });
  const found = workflows.data?.items.find((one) => one.slug === slug);
  const fields = useMemo(() => (found ? fieldsOf(found.inputs as Record<string, DeclaredInput>) : []), [found]);
  const given = slug === schedule?.workflow_slug ? schedule.input : {};
  const entries = { ...firstEntries(fields, given), ...typed };
  const names = (workflows.data?.items ?? []).map(({ slug: id, name }) => ({ id, name }));
  const known = slug !== "" && !found ? [{ id: slug, name: slug }] : [];
  return {
    fields,
    entries,
    faults,
    workflows: [...names, ...known],
    type: (one: Entries) => setTyped((all) => ({ ...all, ...one })),
    /** The input, or null where something is wrong with it, as its fields say then. */
    read: () => {
      // Of a workflow that is not listed here the fields are not known: what it was given stays.
      if (!found) return given;
      const read = readEntries(fields, entries);
      setFaults(read.faults);
      return Object.keys(read.faults).length > 0 ? null : read.input;
    },
  };
}

const withFault = (fault: string | undefined) => (fault ? { fault } : {});
