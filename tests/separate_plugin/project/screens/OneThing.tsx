import { Actions, Button, Facts, Form, Link, PageHead, Panel, ProblemNotice, SkeletonRows, TextField, useHall, useMutation, useQuery, useQueryClient } from "@guildhall/console";
import { useState } from "react";

import type { Thing } from "./things";

/** One thing, and whom it is lent to. */
export function OneThing({ id }: { id: string }) {
  const { client, confirm, format, t } = useHall();
  const queries = useQueryClient();
  const [borrower, setBorrower] = useState("");
  const [days, setDays] = useState("1");
  const thing = useQuery({ queryKey: ["loans", id], queryFn: () => client.get<Thing>(`/api/loans/${id}`) });
  const lend = useMutation({
    mutationFn: () => client.post<Thing>(`/api/loans/${id}/lend`, { borrower, days: Number(days) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["loans"] }),
  });
  if (thing.isError) return <ProblemNotice problem={thing.error} onRetry={() => void thing.refetch()} />;
  if (thing.isPending) return <SkeletonRows />;
  const ask = async () => {
    if (await confirm({ title: t("loans.lend_it", { label: thing.data.label }), action: t("loans.lend") })) lend.mutate();
  };
  return (
    <>
      <PageHead title={thing.data.label}>
        <Link href="/loans">{t("loans.title")}</Link>
      </PageHead>
      <Panel title={t("loans.standing")}>
        <Facts
          facts={[
            [t("loans.borrower"), thing.data.borrower ?? t("loans.here")],
            [t("loans.until"), thing.data.due_at ? format.date(thing.data.due_at) : "–"],
          ]}
        />
      </Panel>
      <Panel title={t("loans.lend")}>
        <Form name="lend-thing" onSubmit={() => void ask()}>
          {lend.isError && <ProblemNotice problem={lend.error} />}
          <TextField label={t("loans.borrower")} value={borrower} onChange={setBorrower} isRequired />
          <TextField label={t("loans.days")} value={days} onChange={setDays} inputMode="numeric" />
          <Actions>
            <Button type="submit" kind="primary" isPending={lend.isPending}>
              {t("loans.lend")}
            </Button>
          </Actions>
        </Form>
      </Panel>
    </>
  );
}
