import { GitMerge } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";

import { useText } from "../i18n/texts";
import { Button } from "./Button";
import styles from "./Conflict.module.css";
import { Difference } from "./Difference";
import { Editor, type EditorProps } from "./Editor";

export interface ConflictProps {
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
export function Conflict({ mine, theirs, base, fields = [], language = "markdown", isPending = false, onKeepMine, onTakeTheirs, onJoin }: ConflictProps) {
  const t = useText();
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const [joined, setJoined] = useState<{ text: string; conflicts: number } | null>(null);
  const [isMarked, setMarked] = useState(false);
  useEffect(() => heading.current?.focus(), []);

  async function join() {
    const { joinTexts } = await import("./joinTexts");
    const result = joinTexts(base, mine, theirs, { mine: t("conflict.mine"), theirs: t("conflict.theirs") });
    setJoined(result);
    setMarked(result.conflicts > 0);
  }
  async function edit(text: string) {
    setJoined((before) => before && { ...before, text });
    const { hasMarks } = await import("./joinTexts");
    setMarked(hasMarks(text));
  }
  return (
    <section className={styles.conflict} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id} ref={heading} tabIndex={-1} className={styles.title}>
          <GitMerge size={16} aria-hidden="true" />
          {t("conflict.title")}
        </h2>
        <div className={styles.actions}>
          <Button onPress={onKeepMine} isPending={isPending}>
            {t("conflict.keep_mine")}
          </Button>
          <Button onPress={onTakeTheirs}>
            {t("conflict.take_theirs")}
          </Button>
          {joined ? (
            <Button kind="primary" isDisabled={isMarked} isPending={isPending} onPress={() => onJoin(joined.text)}>
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
          <Editor label={t("conflict.joined")} language={joined.conflicts > 0 ? "plain" : language} value={joined.text} onChange={(text) => void edit(text)} />
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
