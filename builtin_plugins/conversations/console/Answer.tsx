import { memo, useMemo, useState, useSyncExternalStore } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Markdown } from "@guildhall/console/ui/Markdown";
import styles from "./Answer.module.css";
import { sectionsOf, type Block } from "./blocks";
import type { Part } from "./conversation";
import type { LiveAnswer } from "./liveAnswer";
import { ToolCard } from "./ToolCard";

/** Sections of an answer that are drawn before somebody wants more. */
const SHOWN_SECTIONS = 8;

/** An answer that is whole. */
export const Answer = memo(function Answer({ parts }: { parts: readonly Part[] }) {
  return parts.map((part, index) =>
    part.kind === "step" ? (
      <ToolCard key={index} step={part.step} />
    ) : (
      <WholeText key={index} text={part.text} isAside={index < parts.length - 1} />
    ),
  );
});

/** An answer as it comes. */
export function GrowingAnswer({ live }: { live: LiveAnswer }) {
  const t = useText();
  const parts = useSyncExternalStore(live.subscribe, () => live.parts);
  return (
    <>
      {parts.map((part, index) =>
        part.kind === "step" ? (
          <ToolCard key={index} step={part.step} />
        ) : (
          <div key={index} className={index < parts.length - 1 ? styles.aside : undefined}>
            {part.sections.map((blocks, number) => (
              <Section key={number} blocks={blocks} />
            ))}
            {part.open.text.trim() !== "" && <OneBlock {...part.open} />}
            {part.isCutShort && <p className={styles.rest}>{t("chat.long_live")}</p>}
          </div>
        ),
      )}
    </>
  );
}

function WholeText({ text, isAside }: { text: string; isAside: boolean }) {
  const t = useText();
  const sections = useMemo(() => sectionsOf(text), [text]);
  const [shown, setShown] = useState(SHOWN_SECTIONS);
  return (
    <div className={isAside ? styles.aside : undefined}>
      {sections.slice(0, shown).map((blocks, number) => (
        <Section key={number} blocks={blocks} />
      ))}
      {shown < sections.length && (
        <p className={styles.rest}>
          <Button onPress={() => setShown(shown + SHOWN_SECTIONS)}>{t("action.show_more")}</Button>
        </p>
      )}
    </div>
  );
}

const Section = memo(function Section({ blocks }: { blocks: readonly Block[] }) {
  return (
    <div className={styles.section}>
      {blocks.map((block, index) => (
        <OneBlock key={index} {...block} />
      ))}
    </div>
  );
});

const OneBlock = memo(function OneBlock({ text, continues }: Block) {
  return (
    <div className={styles.block} data-continues={continues ? "" : undefined}>
      <Markdown text={text} />
    </div>
  );
});
