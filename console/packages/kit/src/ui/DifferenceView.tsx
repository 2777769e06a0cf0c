import { useEffect, useMemo, useState } from "react";

import { useText } from "../i18n/texts";
import { Button } from "./Button";
import { compareTexts, fold, type Comparison, type Line, type Pair, type Stretch } from "../../libs/compareTexts";
import type { DifferenceProps } from "./Difference";
import styles from "./Difference.module.css";
import { inWorker } from "./inWorker";
import { SkeletonRows } from "./Skeleton";

/** Up to here it is quicker to do it at once than to ask a worker. */
const SHORT = 5_000;
const PATIENCE_MS = 5_000;
/** How many lines are drawn before one asks for more. */
const DRAWN = 1_000;

const startWorker = () => new Worker(new URL("./compare.worker", import.meta.url), { type: "module" });

export default function DifferenceView({ before, after, beforeName, afterName }: DifferenceProps) {
  const t = useText();
  const compared = useComparison(before, after);
  const stretches = useMemo(() => (compared ? fold(compared.pairs) : []), [compared]);
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const [drawn, setDrawn] = useState(DRAWN);
  if (compared === undefined) return <SkeletonRows count={4} />;
  if (compared === null) return <p className={styles.said}>{t("difference.too_long")}</p>;
  if (compared.removed + compared.added === 0) return <p className={styles.said}>{t("difference.none")}</p>;
  const shown = bounded(stretches, drawn, unfolded);
  return (
    <div className={styles.difference}>
      {!compared.isExact && <p className={styles.said}>{t("difference.rough")}</p>}
      <table className={styles.table}>
        <caption className={styles.caption}>{t("difference.summary", { removed: compared.removed, added: compared.added })}</caption>
        <colgroup>
          <col className={styles.narrow} />
          <col />
          <col className={styles.narrow} />
          <col />
        </colgroup>
        <thead>
          <tr>
            <th colSpan={2} scope="col">
              {beforeName}
            </th>
            <th colSpan={2} scope="col">
              {afterName}
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((stretch) =>
            stretch.isFolded && !unfolded.has(stretch.from) ? (
              <tr key={stretch.from} className={styles.folded}>
                <td colSpan={4}>
                  <Button kind="quiet" onPress={() => setUnfolded(new Set([...unfolded, stretch.from]))}>
                    {t("difference.unchanged", { count: stretch.pairs.length })}
                  </Button>
                </td>
              </tr>
            ) : (
              stretch.pairs.map((pair, index) => <Row key={stretch.from + index} pair={pair} />)
            ),
          )}
        </tbody>
      </table>
      {drawn < compared.pairs.length && shown.length > 0 && isCut(stretches, shown) && (
        <Button onPress={() => setDrawn(drawn + DRAWN)}>{t("action.show_more")}</Button>
      )}
    </div>
  );
}

function Row({ pair: { kind, before, after } }: { pair: Pair }) {
  return (
    <tr className={styles.row} data-kind={kind}>
      <Side line={before} isChanged={kind !== "same"} isBefore />
      <Side line={after} isChanged={kind !== "same"} isBefore={false} />
    </tr>
  );
}

function Side({ line, isChanged, isBefore }: { line: Line | null; isChanged: boolean; isBefore: boolean }) {
  const t = useText();
  const side = isBefore ? "before" : "after";
  if (!line) return <td colSpan={2} className={styles.nothing} data-side={side} />;
  const Mark = isBefore ? "del" : "ins";
  return (
    <>
      <td className={styles.number} data-side={side} data-changed={isChanged ? "" : undefined}>
        {line.number}
        <span className={styles.sign}>{isChanged ? (isBefore ? "−" : "+") : ""}</span>
        {isChanged && <span className={styles.unseen}>{t(isBefore ? "difference.removed" : "difference.added")}</span>}
      </td>
      <td className={styles.text} dir="auto" data-side={side} data-changed={isChanged ? "" : undefined}>
        {line.pieces.map((piece, index) => (piece.isChanged ? <Mark key={index}>{piece.text}</Mark> : piece.text))}
      </td>
    </>
  );
}

/** Undefined while it is worked out, null when that took too long. */
function useComparison(before: string, after: string): Comparison | null | undefined {
  const isShort = before.length + after.length <= SHORT;
  const atOnce = useMemo(() => (isShort ? compareTexts(before, after) : undefined), [before, after, isShort]);
  const [late, setLate] = useState<Comparison | null>();
  useEffect(() => {
    if (isShort) return;
    setLate(undefined);
    return inWorker<[string, string], Comparison>(startWorker, [before, after], PATIENCE_MS, setLate);
  }, [before, after, isShort]);
  return isShort ? atOnce : late;
}

/** The first stretches, of so many lines together; a folded one counts for one. */
function bounded(stretches: readonly Stretch[], lines: number, unfolded: ReadonlySet<number>): Stretch[] {
  const shown: Stretch[] = [];
  let left = lines;
  for (const stretch of stretches) {
    if (left <= 0) break;
    const isWhole = stretch.isFolded && !unfolded.has(stretch.from);
    shown.push(isWhole ? stretch : { ...stretch, pairs: stretch.pairs.slice(0, left) });
    left -= isWhole ? 1 : stretch.pairs.length;
  }
  return shown;
}

function isCut(stretches: readonly Stretch[], shown: readonly Stretch[]): boolean {
  return shown.length < stretches.length || shown.at(-1)?.pairs.length !== stretches.at(-1)?.pairs.length;
}
