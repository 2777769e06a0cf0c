/** How well a name fits what was typed: 0 not at all; the beginning of a word counts more than its middle. */
export function fit(name: string, typed: string): number {
  const words = fold(typed).split(/\s+/).filter(Boolean);
  const folded = fold(name);
  let sum = 1;
  for (const word of words) {
    const at = folded.indexOf(word);
    if (at < 0) return 0;
    const isStart = at === 0 || /[^\p{L}\p{N}]/u.test(folded[at - 1] ?? "");
    sum += (at === 0 ? 3 : isStart ? 2 : 1) + word.length / folded.length;
  }
  return sum;
}

const fold = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase();

/** Those that fit, best first; in their own order while nothing was typed. */
export function matching<Item>(items: readonly Item[], nameOf: (item: Item) => string, typed: string): Item[] {
  return items
    .map((item) => ({ item, fits: fit(nameOf(item), typed) }))
    .filter(({ fits }) => fits > 0)
    .sort((a, b) => b.fits - a.fits)
    .map(({ item }) => item);
}
