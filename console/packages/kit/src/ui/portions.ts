const PORTION = 20_000;

/** Cuts a long text into portions, at the end of a line where one is near, and never inside a character. */
export function portionsOf(text: string, size = PORTION): string[] {
  const portions: string[] = [];
  for (let from = 0; from < text.length; ) {
    let until = Math.min(text.length, from + size);
    if (until < text.length) {
      const line = text.lastIndexOf("\n", until);
      if (line >= from + size / 2) until = line + 1;
      else if (isLowSurrogate(text.charCodeAt(until))) until += 1;
    }
    portions.push(text.slice(from, until));
    from = until;
  }
  return portions.length ? portions : [""];
}

const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;
