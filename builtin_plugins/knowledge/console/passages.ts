/** A passage with the name that it is about marked in it. */

export interface Part {
  text: string;
  isHit: boolean;
}

/** Splits a passage at every place where a name stands, whatever its case. */
export function marked(passage: string, name: string): Part[] {
  const wanted = name.trim();
  if (!wanted) return [{ text: passage, isHit: false }];
  const pattern = new RegExp(`(${wanted.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+")})`, "giu");
  return passage
    .split(pattern)
    .map((text, place) => ({ text, isHit: place % 2 === 1 }))
    .filter(({ text }) => text !== "");
}

/** The last part of a key, which is how people know a file. */
export const nameOfKey = (key: string): string => key.split("/").filter(Boolean).at(-1) ?? key;
