/** Where the words of the glossary stand in a text, found as the server finds them: whole words, the longest first. */

export interface Use {
  term: string;
  translation: string;
}

export interface Piece {
  text: string;
  /** The term that it is, or whose translation it is. */
  use: Use | null;
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** A word of four letters or more may have an ending: "pedidos" is "pedido". */
const MAY_BEND = 4;

/** Cuts a text into pieces, those that are a word of the glossary apart. */
export function markUses(text: string, uses: readonly Use[], side: "term" | "translation"): Piece[] {
  const words = new Map(uses.filter((use) => use[side].trim() !== "").map((use) => [fold(use[side]), use]));
  if (words.size === 0) return text ? [{ text, use: null }] : [];
  const longestFirst = [...words.keys()].sort((one, other) => other.length - one.length);
  const pattern = new RegExp(longestFirst.map((word) => wordPattern(word, side)).join("|"), "giu");
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const use = findUse(words, longestFirst, match[0]);
    if (match[0] === "" || !use) continue;
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), use: null });
    pieces.push({ text: match[0], use });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), use: null });
  return pieces;
}

const fold = (text: string) => text.normalize("NFC").toLowerCase();

function findUse(words: Map<string, Use>, longestFirst: readonly string[], found: string): Use | undefined {
  const folded = fold(found).replace(/\s+/gu, " ");
  return words.get(folded) ?? words.get(longestFirst.find((word) => folded.startsWith(word.replace(/\s+/gu, " "))) ?? "");
}

function wordPattern(word: string, side: "term" | "translation"): string {
  const escaped = word
    .trim()
    .split(/\s+/u)
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&"))
    .join("\\s+");
  if (UNSPACED.test(word)) return escaped;
  const ending = side === "translation" && word.length >= MAY_BEND ? "\\p{L}{0,3}" : "";
  return `(?<![\\p{L}\\p{N}])${escaped}${ending}(?![\\p{L}\\p{N}])`;
}
