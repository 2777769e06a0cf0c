import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { FileButton } from "@guildhall/console/ui/FileButton";
import { Form } from "@guildhall/console/ui/Form";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePluginText } from "@guildhall/console/screens/pages";
import styles from "./Parts.module.css";
import { callRow, newKey, uploadTo } from "@guildhall/console/api/rows";
import { bodyOf, draftOf, valueAt, type Draft } from "@guildhall/console/screens/schema";
import { SchemaFields } from "@guildhall/console/screens/SchemaField";
import { Value } from "./Value";
import type { FormSpec } from "./parts";

interface ContributedFormProps {
  plugin: string;
  title: string;
  spec: FormSpec;
  isMain: boolean;
  /** What else is done once it was taken. */
  onDone?: () => void;
}

/** A form drawn from the body schema of one of a plugin's rows; what the row answers is shown below it. */
export function ContributedForm({ plugin, title, spec, isMain, onDone }: ContributedFormProps) {
  const say = usePluginText();
  const filled = useQuery({
    queryKey: ["x", plugin, spec.filled_from],
    queryFn: () => callRow({ method: "GET", path: spec.filled_from ?? "" }),
    enabled: spec.filled_from !== null,
  });
  return (
    <Panel title={say(spec.title || title)}>
      {spec.takes === "file" ? (
        <Upload plugin={plugin} spec={spec} onDone={onDone} />
      ) : filled.isLoadingError ? (
        <ProblemNotice problem={filled.error} onRetry={() => void filled.refetch()} />
      ) : spec.filled_from !== null && filled.data === undefined ? (
        <SkeletonRows count={2} />
      ) : (
        <Fields plugin={plugin} spec={spec} held={filled.data} isMain={isMain} onDone={onDone} />
      )}
    </Panel>
  );
}

function Upload({ plugin, spec, onDone }: Pick<ContributedFormProps, "plugin" | "spec" | "onDone">) {
  const t = useText();
  const say = usePluginText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const send = useMutation({
    mutationFn: (file: File) => uploadTo({ method: spec.method, path: spec.target }, file),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["x", plugin] });
      announce(say(spec.done) || t("state.saved"));
      onDone?.();
    },
  });
  return (
    <>
      {send.isError && <ProblemNotice problem={send.error} />}
      <FileButton label={t("action.choose_file")} accept="*/*" isPending={send.isPending} onFile={(file) => send.mutate(file)}>
        {say(spec.submit)}
      </FileButton>
    </>
  );
}

function Fields({ plugin, spec, held, isMain, onDone }: Omit<ContributedFormProps, "title"> & { held: unknown }) {
  const t = useText();
  const say = usePluginText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [draft, setDraft] = useState<Draft>(() => draftOf(spec.schema, held));
  const attempt = useRef({ text: "", key: "" });
  const send = useMutation({
    mutationFn: () => {
      const body = bodyOf(spec.schema, draft);
      const text = JSON.stringify(body);
      if (attempt.current.text !== text) attempt.current = { text, key: newKey() };
      return callRow({ method: spec.method, path: spec.target, body, key: attempt.current.key });
    },
    onSuccess: () => {
      attempt.current = { text: "", key: "" };
      void client.invalidateQueries({ queryKey: ["x", plugin] });
      if (spec.done || spec.answer.length === 0) announce(say(spec.done) || t("state.saved"));
      if (spec.answer.length === 0) onDone?.();
    },
  });
  const problem = send.error instanceof Problem ? send.error : null;
  return (
    <Form name="contributed" className={styles.form} onSubmit={() => send.mutate()}>
      {send.isError && <ProblemNotice problem={send.error} />}
      <SchemaFields pointer="" schema={spec.schema} draft={draft} onChange={setDraft} problem={problem} />
      <div>
        <Button kind={isMain ? "primary" : "plain"} type="submit" isPending={send.isPending}>
          {say(spec.submit)}
        </Button>
      </div>
      {spec.answer.length > 0 && (
        <div role="status">
          {send.isSuccess && (
            <Facts
              facts={spec.answer.map(({ field, label, schema }) => [
                say(label),
                <Value key={field} schema={schema} value={valueAt(send.data, field)} />,
              ])}
            />
          )}
        </div>
      )}
    </Form>
  );
}
