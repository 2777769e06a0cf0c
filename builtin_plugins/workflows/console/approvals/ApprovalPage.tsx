import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Check, X } from "lucide-react";
import { useMemo, useState } from "react";
import { useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { Form } from "@guildhall/console/ui/Form";
import { InputFields } from "@guildhall/console/ui/InputFields";
import { fieldsOf, firstEntries, readEntries, type Entries, type Fault } from "@guildhall/console/ui/inputs";
import { Markdown } from "@guildhall/console/ui/Markdown";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { APPROVALS, declaredFields, useMine, type Approval } from "./approval";
import styles from "./ApprovalPage.module.css";

/** One approval, in one column: what it is about, its form, and the two answers under a thumb. */
export function ApprovalPage({ id }: { id: string }) {
  const t = useText();
  const mine = useMine();
  if (mine.isPending) return <SkeletonRows />;
  if (mine.isLoadingError) return <ProblemNotice problem={mine.error} onRetry={() => void mine.refetch()} />;
  const approval = mine.data.items.find((one) => one.id === id);
  return approval ? <Decision approval={approval} /> : <EmptyState text={t("approvals.gone")} />;
}

interface Said {
  decision: "approve" | "reject";
  form?: Record<string, unknown>;
}

function Decision({ approval }: { approval: Approval }) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const fields = useMemo(() => fieldsOf(declaredFields(approval.form)), [approval]);
  const [entries, setEntries] = useState<Entries>(() => firstEntries(fields));
  const [faults, setFaults] = useState<Record<string, Fault>>({});
  const [comment, setComment] = useState("");
  const decide = useMutation({
    mutationFn: ({ decision, form }: Said) =>
      dataOf(
        api.POST("/api/approvals/{id}", {
          params: { path: { id: approval.id } },
          body: { decision, ...(comment && { comment }), ...(form && { form: form as Record<string, never> }) },
        }),
      ),
    onSuccess: ({ decision }) => {
      announce(t(decision === "approve" ? "approvals.approved" : "approvals.rejected"));
      void client.invalidateQueries({ queryKey: APPROVALS });
      void client.invalidateQueries({ queryKey: ["runs"] });
      navigate("/approvals");
    },
  });
  const approve = () => {
    const read = readEntries(fields, entries);
    setFaults(read.faults);
    if (Object.keys(read.faults).length > 0) return;
    decide.mutate({ decision: "approve", ...(approval.form && { form: read.input }) });
  };
  const problem = decide.error instanceof Problem ? decide.error : null;
  return (
    <div className={styles.page}>
      <PageHead title={approval.title} text={approval.step} />
      {approval.body && (
        <div className={styles.body} dir="auto">
          <Markdown text={approval.body} />
        </div>
      )}
      <Form name="decide" className={styles.form} onSubmit={approve}>
        {decide.error && <ProblemNotice problem={decide.error} />}
        <InputFields
          fields={fields}
          entries={entries}
          faults={faults}
          problem={problem}
          onChange={(changed) => setEntries((all) => ({ ...all, ...changed }))}
        />
        <TextField label={t("approvals.comment")} help={t("form.optional")} value={comment} onChange={setComment} rows={2} />
        <div className={styles.answers}>
          <Button kind="primary" type="submit" isPending={decide.isPending && decide.variables?.decision === "approve"}>
            <Check size={16} />
            {t("approvals.approve")}
          </Button>
          <Button
            kind="danger"
            isPending={decide.isPending && decide.variables?.decision === "reject"}
            onPress={() => decide.mutate({ decision: "reject" })}
          >
            <X size={16} />
            {t("approvals.reject")}
          </Button>
        </div>
      </Form>
    </div>
  );
}
