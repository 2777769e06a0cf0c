/** Joins two changes of one text, by lines; where both changed the same lines, both stand there between marks. */

import { diffArrays } from "diff";

import { linesOf } from "./compareTexts";

export interface Joined {
  text: string;
  /** In how many places both changed the same lines. */
  conflicts: number;
}

/** Lines of the base, from `from` up to `to`, that one side put `lines` in the place of. */
interface Change {
  from: number;
  to: number;
  lines: string[];
}

const PATIENCE_MS = 2_000;
const [OPEN, MIDDLE, CLOSE] = ["<<<<<<<", "=======", ">>>>>>>"];

/** `base` is what both began with, or null where nobody knows it any more. */
export function joinTexts(base: string | null, mine: string, theirs: string, names: { mine: string; theirs: string }): Joined {
  if (mine === theirs) return { text: mine, conflicts: 0 };
  if (base === mine) return { text: theirs, conflicts: 0 };
  if (base === theirs) return { text: mine, conflicts: 0 };
  const original = base === null ? shared(linesOf(mine), linesOf(theirs)) : linesOf(base);
  const [ours, others] = [changesOf(original, linesOf(mine)), changesOf(original, linesOf(theirs))];
  const joined: string[] = [];
  let conflicts = 0;
  let at = 0;
  while (ours.length > 0 || others.length > 0) {
    const group = nextGroup(ours, others);
    joined.push(...original.slice(at, group.from));
    at = group.to;
    const [my, their] = [group.of(original, group.mine), group.of(original, group.theirs)];
    if (group.theirs.length === 0 || same(my, their)) joined.push(...my);
    else if (group.mine.length === 0) joined.push(...their);
    else {
      conflicts += 1;
      joined.push(`${OPEN} ${names.mine}`, ...my, MIDDLE!, ...their, `${CLOSE} ${names.theirs}`);
    }
  }
  joined.push(...original.slice(at));
  return { text: joined.join("\n"), conflicts };
}

/** A join that somebody went on with by hand, and what they had on the other side then. */
export interface Begun {
  text: string;
  theirs: string;
}

/** Goes on with a join that was begun earlier; what the other side changed since is joined into it. */
export function resumeJoin(begun: Begun, theirs: string, names: { mine: string; theirs: string }): Joined {
  if (begun.theirs !== theirs) return joinTexts(begun.theirs, begun.text, theirs, names);
  return { text: begun.text, conflicts: linesOf(begun.text).filter((line) => line.startsWith(`${OPEN} `)).length };
}

const isMark = (line: string) => line.startsWith(`${OPEN} `) || line === MIDDLE || line.startsWith(`${CLOSE} `);

/** The first line, from 1, that marks a place which is still to be decided; null where all are. */
export const firstMark = (text: string): number | null => linesOf(text).findIndex(isMark) + 1 || null;

interface Group {
  from: number;
  to: number;
  mine: Change[];
  theirs: Change[];
  /** What one side makes of these lines. */
  of: (original: readonly string[], changes: readonly Change[]) => string[];
}

/** Takes the next change, with all of the other side's that meet it. */
function nextGroup(ours: Change[], others: Change[]): Group {
  const mine: Change[] = [];
  const theirs: Change[] = [];
  const first = !others[0] || (ours[0] && ours[0].from <= others[0].from) ? ours[0]! : others[0];
  const { from } = first;
  let to = first.to;
  const isFirst = (change: Change | undefined) => change === first;
  for (let taken = true; taken; ) {
    taken = false;
    for (const [queue, group] of [
      [ours, mine],
      [others, theirs],
    ] as const) {
      while (queue[0] && (isFirst(queue[0]) || meets(queue[0], from, to))) {
        const change = queue.shift()!;
        group.push(change);
        to = Math.max(to, change.to);
        taken = true;
      }
    }
  }
  const of = (original: readonly string[], changes: readonly Change[]) => {
    const lines: string[] = [];
    let at = from;
    for (const change of changes) {
      lines.push(...original.slice(at, change.from), ...change.lines);
      at = change.to;
    }
    return [...lines, ...original.slice(at, to)];
  };
  return { from, to, mine, theirs, of };
}

/** Changes meet where they share a line, or both put lines in at one place. */
function meets(change: Change, from: number, to: number): boolean {
  return change.from < to || (change.from === from && change.to === from && from === to);
}

function changesOf(original: string[], changed: string[]): Change[] {
  const found = diffArrays(original, changed, { timeout: PATIENCE_MS });
  if (!found) return [{ from: 0, to: original.length, lines: changed }];
  const changes: Change[] = [];
  let at = 0;
  let isOpen = false;
  for (const { value, added, removed } of found) {
    if (!added && !removed) {
      at += value.length;
      isOpen = false;
      continue;
    }
    if (!isOpen) changes.push({ from: at, to: at, lines: [] });
    isOpen = true;
    const change = changes.at(-1)!;
    if (removed) change.to = at += value.length;
    else change.lines.push(...value);
  }
  return changes;
}

/** The lines that both texts have, in order: what they may have begun with. */
function shared(mine: string[], theirs: string[]): string[] {
  const found = diffArrays(mine, theirs, { timeout: PATIENCE_MS }) ?? [];
  return found.filter(({ added, removed }) => !added && !removed).flatMap(({ value }) => value);
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}
