import { Pencil, Star } from "lucide-react";
import { useState } from "react";

import {
  ActionMenu, Actions, Button, Chart, Checkbox, CodeBlock, ConfirmByName, CopyButton, Difference, Editor, EmptyState, Facts,
  FileButton, Form, Line, Lines, Link, Markdown, Modal, PagedTable, ProblemNotice, ProgressBar, RowAction, RowList, RowMeta, RowTitle,
  Select, ShownOnce, SkeletonRows, Spans, StateMark, SubNavigation, Switch, Table, TextField, Time, useHall, Value,
} from "@guildhall/console/index";
import { Sample } from "./Sample";

const THINGS = ["Ladder", "Rope", "Spotlight"].map((label, place) => ({ id: label, label, count: place + 1 }));
const PAGES = {
  data: { pages: [{ items: THINGS, next_cursor: null }], pageParams: [""] },
  error: null, isPending: false, isError: false, isLoadingError: false, hasNextPage: false, isFetchingNextPage: false,
  fetchNextPage: () => undefined, refetch: () => undefined,
};
const COLUMNS = [
  { id: "label", name: "Thing", cell: ({ label }: (typeof THINGS)[number]) => label },
  { id: "count", name: "Count", isFigure: true, cell: ({ count }: (typeof THINGS)[number]) => count },
];
const nothing = () => undefined;
const DAY = 86_400_000;
const POINTS = [3, 5, 2, 8, 6, 9, 4].map((value, day) => ({ at: day * DAY, values: [value, 10 - value] }));

const SPANS = ["succeeded", "failed", "cancelled", "running"].map((state, place) => ({
  ...{ id: state, name: `Job ${place + 1}`, state },
  from: new Date(place * 40_000).toISOString(),
  until: new Date(place * 40_000 + 60_000).toISOString(),
}));

export function FormSamples() {
  const { toast } = useHall();
  const [text, setText] = useState("");
  const [choice, setChoice] = useState("one");
  const [isOn, setOn] = useState(true);
  return (
    <>
      <Sample name="Button">
        <Button kind="primary" onPress={() => toast("Pressed", nothing)}>
          Primary
        </Button>
        <Button onPress={nothing}>Plain</Button>
        <Button kind="quiet" onPress={nothing}>
          Quiet
        </Button>
        <Button kind="danger" onPress={nothing}>
          Danger
        </Button>
        <Button isPending onPress={nothing}>
          Pending
        </Button>
      </Sample>
      <Sample name="Form">
        <Form name="gallery" onSubmit={() => toast("Sent")}>
          <TextField label="Name" help="What it is called." value={text} onChange={setText} isRequired />
          <Button type="submit">Send</Button>
        </Form>
      </Sample>
      <Sample name="TextField">
        <TextField label="With a fault" fault="must not be empty" defaultValue="" />
        <TextField label="Long" rows={3} defaultValue="Several lines" />
      </Sample>
      <Sample name="Select">
        <Select label="Choice" value={choice} options={[{ id: "one", name: "One" }, { id: "two", name: "Two" }]} onChange={setChoice} />
      </Sample>
      <Sample name="Checkbox">
        <Checkbox defaultSelected>Remember this</Checkbox>
      </Sample>
      <Sample name="Switch">
        <Switch isSelected={isOn} onChange={setOn}>
          Turned on
        </Switch>
      </Sample>
      <Sample name="FileButton">
        <FileButton label="File" accept="*/*" onFile={(file) => toast(file.name)}>
          Choose a file
        </FileButton>
      </Sample>
      <Sample name="Editor">
        <Editor label="Text" language="markdown" value={"# Heading\n\nSome *words*."} onChange={nothing} />
      </Sample>
    </>
  );
}

export function ListSamples() {
  return (
    <>
      <Sample name="RowList">
        <RowList
          label="Things"
          pages={PAGES}
          idOf={({ id }) => id}
          onOpen={nothing}
          empty={{ text: "Nothing yet." }}
          row={({ label, count }) => (
            <>
              <RowTitle>{label}</RowTitle>
              <RowMeta>{count}</RowMeta>
            </>
          )}
        />
      </Sample>
      <Sample name="Table">
        <Table label="Things in a table" items={THINGS} idOf={({ id }) => id} columns={COLUMNS} actions={({ label }) => <RowAction icon={Pencil} name="Edit" of={label} onPress={nothing} />} />
      </Sample>
      <Sample name="PagedTable">
        <PagedTable label="Things by pages" pages={PAGES as never} idOf={({ id }: (typeof THINGS)[number]) => id} columns={COLUMNS} empty={{ text: "Nothing yet." } as never} />
      </Sample>
      <Sample name="Lines">
        <Lines>
          <Line path="/kit" icon={Star} title="A line that leads somewhere" meta={<Time at="2026-01-05T10:00:00Z" />} />
        </Lines>
      </Sample>
      <Sample name="Facts">
        <Facts facts={[["Owner", "Ada"], ["Size", "1.2 MB"]]} />
      </Sample>
      <Sample name="EmptyState">
        <EmptyState text="Nothing is here yet." action={<Button onPress={nothing}>Add one</Button>} />
      </Sample>
      <Sample name="SkeletonRows">
        <SkeletonRows count={2} />
      </Sample>
      <Sample name="SubNavigation">
        <SubNavigation label="Samples" tabs={[{ path: "/kit", name: "Here" }, { path: "/", name: "Home" }]} />
      </Sample>
      <Sample name="ActionMenu">
        <ActionMenu of="Ladder" actions={[{ id: "edit", name: "Edit", onAction: nothing }, { id: "drop", name: "Delete", onAction: nothing, isDangerous: true }]} />
      </Sample>
    </>
  );
}

export function TextSamples() {
  return (
    <>
      <Sample name="StateMark">
        {["queued", "running", "succeeded", "failed", "cancelled"].map((state) => (
          <StateMark key={state} state={state} />
        ))}
      </Sample>
      <Sample name="ProgressBar">
        <ProgressBar label="Progress" value={0.4} />
      </Sample>
      <Sample name="ProblemNotice">
        <ProblemNotice problem={new Error("It did not work")} onRetry={nothing} />
      </Sample>
      <Sample name="Markdown">
        <Markdown text={"Some *words* and `code`."} />
      </Sample>
      <Sample name="CodeBlock">
        <CodeBlock text={'{"a": 1}'} name="Sample" />
      </Sample>
      <Sample name="Value">
        <Value title="Value" value={{ a: 1 }} none="Nothing" />
      </Sample>
      <Sample name="Difference">
        <Difference before="one line" after="another line" beforeName="Before" afterName="After" />
      </Sample>
      <Sample name="Spans">
        <Spans label="What ran when" spans={SPANS} onOpen={nothing} />
      </Sample>
      <Sample name="Chart">
        <Chart label="Things by day" time="Day" series={[{ label: "In", kind: "bars" }, { label: "Out", kind: "line" }]} points={POINTS} />
      </Sample>
      <Sample name="CopyButton">
        <CopyButton text="thing_1" name="thing_1" />
      </Sample>
      <Sample name="ShownOnce">
        <ShownOnce label="Secret" value="ghs_only_once" />
      </Sample>
      <Sample name="Time">
        <Time at="2026-01-05T10:00:00Z" />
      </Sample>
      <Sample name="Link">
        <Link href="/">Home</Link>
      </Sample>
    </>
  );
}

export function DialogSamples() {
  const { confirm, toast } = useHall();
  const [open, setOpen] = useState<"dialog" | "name" | null>(null);
  const close = () => setOpen(null);
  const ask = async () => toast((await confirm({ title: "Are you sure?", action: "Yes" })) ? "Yes" : "No");
  return (
    <>
      <Sample name="Modal">
        <Button onPress={() => setOpen("dialog")}>Open a dialog</Button>
        <Button onPress={() => void ask()}>Ask first</Button>
        <Modal title="A dialog" isOpen={open === "dialog"} onClose={close}>
          <p>Some words.</p>
          <Actions>
            <Button kind="primary" onPress={close}>
              Close
            </Button>
          </Actions>
        </Modal>
      </Sample>
      <Sample name="ConfirmByName">
        <Button kind="danger" onPress={() => setOpen("name")}>
          Delete for good
        </Button>
        <ConfirmByName title="Delete the ladder" text="It is gone then." name="Ladder" action="Delete" isOpen={open === "name"} onClose={close} onConfirm={async () => close()} />
      </Sample>
    </>
  );
}
