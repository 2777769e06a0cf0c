import { GitMerge } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";

import { useDraft } from "../drafts/useDraft";
import { useText } from "../i18n/texts";
import { Button } from "./Button";
import styles from "./Conflict.module.css";
import { Difference } from "./Difference";
import { Editor, type EditorProps } from "./Editor";
import type { Begun, Joined } from "../../libs/joinTexts";

export interface ConflictProps {
  /** What the draft of the text is called: the joined text is kept beside it until it is saved. */
  thing: string;
  mine: string;
  theirs: string;
  /** What both began with; null where it is not known any more. */
  base: string | null;
  /** Short things besides the text that differ: a title. Joined, each keeps mine where I changed it. */
  fields?: readonly { name: string; mine: string; theirs: string }[];
  language?: EditorProps["language"];
  /** While one of them is being saved. */
  isPending?: boolean;
  /** Saves mine over theirs. */
  onKeepMine: () => void;
  /** Lets mine go. */
  onTakeTheirs: () => void;
  /** Saves what both were joined into. */
  onJoin: (text: string) => void;
}

/** A save that came too late (412): mine, theirs, the difference, and what to do. Stands in the place of the text. */
export function Conflict({ thing, mine, theirs, base, fields = [], language = "markdown", isPending = false, onKeepMine, onTakeTheirs, onJoin }: ConflictProps) {
  const t = useText();
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const draft = useDraft(`${thing}.joined`);
  const [joined, setJoined] = useState<Joined | null>(null);
  const [isMarked, setMarked] = useState(false);
  const [goTo, setGoTo] = useState<{ line: number } | null>(null);
  useEffect(() => {
    heading.current?.focus();
    const begun = draft.found && begunOf(draft.found.text);
    if (begun) void import("../../libs/joinTexts").then(({ resumeJoin, firstMark }) => show(resumeJoin(begun, theirs, names), firstMark));
  }, []);

  const names = { mine: t("conflict.mine"), theirs: t("conflict.theirs") };
  const keep = (text: string) => draft.keep(() => JSON.stringify({ text, theirs } satisfies Begun), null);
  function show(result: Joined, firstMark: (text: string) => number | null) {
    const line = firstMark(result.text);
    setJoined(result);
    setMarked(line !== null);
    if (line !== null) setGoTo({ line });
    keep(result.text);
  }
  async function join() {
    const { joinTexts, firstMark } = await import("../../libs/joinTexts");
    show(joinTexts(base, mine, theirs, names), firstMark);
  }
  async function edit(text: string) {
    setJoined((before) => before && { ...before, text });
    keep(text);
    const { firstMark } = await import("../../libs/joinTexts");
    setMarked(firstMark(text) !== null);
  }
  const decide = (done: () => void) => () => {
    draft.drop();
    done();
  };
  return (
    <section className={styles.conflict} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id} ref={heading} tabIndex={-1} className={styles.title}>
          <GitMerge size={16} aria-hidden="true" />
          {t("conflict.title")}
        </h2>
        <div className={styles.actions}>
          <Button onPress={decide(onKeepMine)} isPending={isPending}>
            {t("conflict.keep_mine")}
          </Button>
          <Button onPress={decide(onTakeTheirs)}>
            {t("conflict.take_theirs")}
          </Button>
          {joined ? (
            <Button kind="primary" isDisabled={isMarked} isPending={isPending} onPress={decide(() => onJoin(joined.text))}>
              {t("conflict.save_joined")}
            </Button>
          ) : (
            <Button kind="primary" onPress={() => void join()}>
              {t("conflict.merge")}
            </Button>
          )}
        </div>
      </div>
      <p className={styles.help} role="status">
        {!joined ? t("conflict.help") : isMarked ? t("conflict.marked", { count: joined.conflicts }) : t("conflict.fits")}
      </p>
      {joined && (
        <div className={styles.joined}>
          <Editor label={t("conflict.joined")} language={joined.conflicts > 0 ? "plain" : language} value={joined.text} goTo={goTo} onChange={(text) => void edit(text)} />
        </div>
      )}
      {fields.length > 0 && (
        <dl className={styles.fields}>
          {fields.map((field) => (
            <div key={field.name}>
              <dt>{field.name}</dt>
              <dd dir="auto">
                <span className={styles.side}>{t("conflict.mine")}</span> {field.mine}
              </dd>
              <dd dir="auto">
                <span className={styles.side}>{t("conflict.theirs")}</span> {field.theirs}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <Difference before={mine} after={theirs} beforeName={t("conflict.mine")} afterName={t("conflict.theirs")} />
    </section>
  );
}

function begunOf(kept: string): Begun | null {
  try {
    const { text, theirs } = JSON.parse(kept) as Partial<Begun>;
    return typeof text === "string" && typeof theirs === "string" ? { text, theirs } : null;
  } catch {
    return null;
  }
}
