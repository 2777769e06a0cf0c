import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useDraft } from "@guildhall/console/drafts/useDraft";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Editor, type LineMark } from "@guildhall/console/ui/Editor";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { DrawSide } from "../draw/DrawSide";
import { useProblems } from "../draw/format";
import { Faults } from "./Faults";
import { jsonFault, lineOf } from "@guildhall/console/libs/pointers";
import { isRecord } from "./spec";
import styles from "./SpecEditor.module.css";
import type { NewSpec } from "./workflow";

export interface SpecEditorProps {
  title: string;
  text: string;
  /** What the draft is kept as. */
  thing: string;
  first: string;
  base?: string;
  back: string;
}

const NO_MARKS: readonly LineMark[] = [];

/** A spec to write and to publish: drawn as one writes, and what is wrong with it is said at its place. */
export function SpecEditor({ title, text: about, thing, first, base = "", back }: SpecEditorProps) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const draft = useDraft(thing);
  const [text, setText] = useState(draft.found?.text ?? first);
  const [marks, setMarks] = useState(NO_MARKS);
  const [goTo, setGoTo] = useState<{ line: number } | null>(null);
  const syntax = useMemo(() => jsonFault(text), [text]);
  const spec = useMemo(() => (syntax ? null : (JSON.parse(text) as unknown)), [text, syntax]);
  const problems = useProblems(text);

  const publish = useMutation({
    mutationFn: () => dataOf(api.POST("/api/workflows", { body: JSON.parse(text) as NewSpec })),
    onMutate: () => setMarks(NO_MARKS),
    onSuccess: ({ slug, version, name }) => {
      draft.drop();
      void client.invalidateQueries({ queryKey: ["workflows"] });
      void client.invalidateQueries({ queryKey: ["workflow", slug] });
      announce(t("workflows.published", { name, version }));
      navigate(`/workflows/${slug}/steps`);
    },
    onError: (cause) => {
      if (cause instanceof Problem) setMarks(cause.faults.map(({ pointer, message }) => ({ line: lineOf(text, pointer), message })));
    },
  });
  const shown = useMemo(
    () => (marks.length > 0 ? marks : (problems ?? []).map(({ pointer, message }) => ({ line: lineOf(text, pointer), message }))),
    [marks, problems, text],
  );
  const faults = publish.error instanceof Problem ? publish.error.faults : [];
  const change = (changed: string) => {
    setText(changed);
    draft.keep(changed, base || null);
  };
  const startOver = () => {
    draft.drop();
    setText(first);
    setMarks(NO_MARKS);
    publish.reset();
  };
  return (
    <>
      <PageHead title={title} text={about}>
        {text !== first && (
          <Button kind="quiet" onPress={startOver}>
            {t("workflows.discard")}
          </Button>
        )}
        <Button onPress={() => navigate(back)}>{t("action.cancel")}</Button>
        <Button kind="primary" isDisabled={syntax !== null} isPending={publish.isPending} onPress={() => publish.mutate()}>
          {t("workflows.publish")}
        </Button>
      </PageHead>
      {publish.error && faults.length === 0 && <ProblemNotice problem={publish.error} onRetry={() => publish.mutate()} />}
      <Faults faults={faults} lineOf={(pointer) => lineOf(text, pointer)} onGo={(line) => setGoTo({ line })} />
      <div className={styles.split}>
        <div className={styles.editor}>
          <Editor
            value={text}
            onChange={change}
            language="json"
            label={t("workflows.source")}
            isInvalid={syntax !== null || faults.length > 0}
            marks={shown}
            goTo={goTo}
          />
          <p role="status" className={styles.status}>
            {syntax ? (
              <button type="button" className={styles.fault} onClick={() => setGoTo({ line: syntax.line })}>
                {t("workflows.not_json", { line: syntax.line })}
              </button>
            ) : draft.isRefused ? (
              t("state.unsaved")
            ) : text !== first ? (
              t("state.draft_kept")
            ) : (
              ""
            )}
          </p>
        </div>
        {isRecord(spec) && (
          <DrawSide
            spec={spec}
            problems={problems}
            onChange={(drawn) => change(JSON.stringify(drawn, null, 2))}
            onShow={(pointer) => setGoTo({ line: lineOf(text, `${pointer}/name`) })}
          />
        )}
      </div>
    </>
  );
}
