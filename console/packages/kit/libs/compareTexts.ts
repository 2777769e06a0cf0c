/** The difference of two texts: by lines, and within a changed line by words. */

import { diffArrays, diffWordsWithSpace } from "diff";

/** A stretch of a line; `isChanged` where the other text has something else. */
export interface Piece {
  text: string;
  isChanged: boolean;
}

export interface Line {
  /** Counted from one. */
  number: number;
  pieces: Piece[];
}

/** One line of both texts side by side; a side is null where the other alone has a line. */
export interface Pair {
  kind: "same" | "changed" | "removed" | "added";
  before: Line | null;
  after: Line | null;
}

export interface Comparison {
  pairs: Pair[];
  removed: number;
  added: number;
  /** False where the texts were too far apart to find what they share. */
  isExact: boolean;
}

const PATIENCE_MS = 2_000;
const LONGEST_LINE = 2_000;
const MAX_WORD_EDITS = 400;
/** Lines that share less than this of their words are two lines, and not one that was changed. */
const LEAST_SHARED = 0.3;

export const linesOf = (text: string): string[] => text.split(/\r\n|\r|\n/);

export function compareTexts(before: string, after: string): Comparison {
  const [old, young] = [linesOf(before), linesOf(after)];
  const changes = diffArrays(old, young, { timeout: PATIENCE_MS });
  const found = changes ?? [
    { value: old, removed: true, added: false },
    { value: young, removed: false, added: true },
  ];
  const pairs: Pair[] = [];
  let [oldNumber, youngNumber] = [1, 1];
  let gone: string[] = [];
  const flush = (come: string[]) => {
    for (let index = 0; index < Math.max(gone.length, come.length); index += 1) {
      pairs.push(...pairsOf(gone[index], come[index], oldNumber + index, youngNumber + index, changes !== undefined));
    }
    oldNumber += gone.length;
    youngNumber += come.length;
    gone = [];
  };
  for (const { value, removed, added } of found) {
    if (removed) gone = value;
    else if (added) flush(value);
    else {
      flush([]);
      for (const line of value) pairs.push(samePair(line, oldNumber++, youngNumber++));
    }
  }
  flush([]);
  return {
    pairs,
    removed: pairs.filter(({ kind }) => kind === "changed" || kind === "removed").length,
    added: pairs.filter(({ kind }) => kind === "changed" || kind === "added").length,
    isExact: changes !== undefined,
  };
}

function samePair(line: string, oldNumber: number, youngNumber: number): Pair {
  const pieces = [{ text: line, isChanged: false }];
  return { kind: "same", before: { number: oldNumber, pieces }, after: { number: youngNumber, pieces } };
}

function pairsOf(old: string | undefined, young: string | undefined, oldNumber: number, youngNumber: number, byWords: boolean): Pair[] {
  const before = old === undefined ? null : { number: oldNumber, pieces: [{ text: old, isChanged: true }] };
  const after = young === undefined ? null : { number: youngNumber, pieces: [{ text: young, isChanged: true }] };
  if (!before || !after) return [{ kind: before ? "removed" : "added", before, after }];
  const words = byWords ? wordsOf(old!, young!) : null;
  if (words) Object.assign(before, { pieces: words[0] }), Object.assign(after, { pieces: words[1] });
  return [{ kind: "changed", before, after }];
}

function wordsOf(old: string, young: string): [Piece[], Piece[]] | null {
  if (Math.max(old.length, young.length) > LONGEST_LINE) return null;
  const changes = diffWordsWithSpace(old, young, { maxEditLength: MAX_WORD_EDITS });
  if (!changes) return null;
  const shared = changes.filter(({ added, removed }) => !added && !removed).reduce((sum, { value }) => sum + value.trim().length, 0);
  if (shared < LEAST_SHARED * Math.min(old.trim().length, young.trim().length)) return null;
  const side = (isLeftOut: "added" | "removed") =>
    changes
      .filter((change) => !change[isLeftOut])
      .map(({ value, added, removed }) => ({ text: value, isChanged: Boolean(added || removed) }));
  return [side("added"), side("removed")];
}

/** A stretch of pairs that is shown, or one of unchanged lines that is folded. */
export interface Stretch {
  from: number;
  pairs: Pair[];
  isFolded: boolean;
}

const AROUND = 3;
const LEAST_FOLDED = 4;

/** Folds what did not change, but for a few lines around what did. */
export function fold(pairs: readonly Pair[]): Stretch[] {
  const near = new Uint8Array(pairs.length);
  pairs.forEach(({ kind }, at) => {
    if (kind !== "same") near.fill(1, Math.max(0, at - AROUND), at + AROUND + 1);
  });
  const stretches: Stretch[] = [];
  for (let from = 0; from < pairs.length; ) {
    let to = from;
    while (to < pairs.length && near[to] === near[from]) to += 1;
    const isFolded = near[from] === 0 && to - from >= LEAST_FOLDED;
    const last = stretches.at(-1);
    if (last && !last.isFolded && !isFolded) last.pairs.push(...pairs.slice(from, to));
    else stretches.push({ from, pairs: pairs.slice(from, to), isFolded });
    from = to;
  }
  return stretches;
}
