import {
  Button,
  Chart,
  FileButton,
  Form,
  PageHead,
  Panel,
  ProblemNotice,
  Route,
  RowList,
  RowMeta,
  RowTitle,
  Routes,
  TextField,
  useHall,
  useLive,
  useMutation,
  usePages,
  useQueryClient,
} from "@guildhall/console";
import { useState } from "react";

import "./loans.css";
import { OneThing } from "./OneThing";
import { comingBack, type Thing } from "./things";

export function Loans() {
  return (
    <Routes>
      <Route path="/loans/:id">{({ id }) => <OneThing key={id} id={id} />}</Route>
      <Route component={Things} />
    </Routes>
  );
}

/** What the team lends out: a list, what comes back when, a form for one more, and files that can be lent. */
function Things() {
  const { client, navigate, toast, t, format } = useHall();
  const queries = useQueryClient();
  const [label, setLabel] = useState("");
  useLive("/api/loans", ["loans"]);
  const things = usePages<Thing>(["loans"], async () => ({ items: (await client.get<{ items: Thing[] }>("/api/loans")).items, next_cursor: null }));
  const add = useMutation({
    mutationFn: () => client.post<Thing>("/api/loans", { label }),
    onSuccess: async (thing) => {
      setLabel("");
      await queries.invalidateQueries({ queryKey: ["loans"] });
      toast(t("loans.added", { label: thing.label }));
    },
  });
  const upload = useMutation({
    mutationFn: (file: File) => client.upload(`/api/repo/${encodeURIComponent(file.name)}`, file),
    onSuccess: (_, file) => toast(t("loans.uploaded", { name: file.name, size: format.size(file.size) })),
  });
  const all = things.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <div className="loans">
      <PageHead title={t("loans.title")} text={t("loans.text")}>
        <FileButton label={t("loans.file")} accept="*/*" onFile={(file) => upload.mutate(file)} isPending={upload.isPending}>
          {t("loans.upload")}
        </FileButton>
      </PageHead>
      {upload.isError && <ProblemNotice problem={upload.error} />}
      <Panel title={t("loans.new")}>
        <Form name="new-thing" onSubmit={() => add.mutate()}>
          {add.isError && <ProblemNotice problem={add.error} />}
          <TextField label={t("loans.label")} value={label} onChange={setLabel} isRequired />
          <Button type="submit" kind="primary" isPending={add.isPending}>
            {t("loans.add")}
          </Button>
        </Form>
      </Panel>
      <RowList
        label={t("loans.title")}
        pages={things}
        idOf={({ id }) => id}
        onOpen={({ id }) => navigate(`/loans/${id}`)}
        empty={{ text: t("loans.empty") }}
        row={({ label: name, borrower }) => (
          <>
            <RowTitle>{name}</RowTitle>
            <RowMeta>{borrower ?? t("loans.here")}</RowMeta>
          </>
        )}
      />
      <Panel title={t("loans.due")}>
        <Chart label={t("loans.due")} time={t("loans.day")} series={[{ label: t("loans.things"), kind: "bars" }]} points={comingBack(all, Date.now())} />
      </Panel>
    </div>
  );
}
