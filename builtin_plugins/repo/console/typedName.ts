/** Finding by its first letters, as one types them. */

const PAUSE_MS = 1_000;
/** Letters that mean something by themselves in every list of the console; later ones are part of the name. */
const TAKEN = "gjkx?/";

export class TypedName {
  private typed = "";
  private last = -Infinity;

  /** Takes a letter; returns what was typed so far, or null for a letter that is none of a name. */
  add(letter: string, at: number): string | null {
    const isGoingOn = this.isGoingOn(at);
    if (letter.length !== 1 || (!isGoingOn && (letter === " " || TAKEN.includes(letter)))) return null;
    this.typed = isGoingOn ? this.typed + letter.toLocaleLowerCase() : letter.toLocaleLowerCase();
    this.last = at;
    return this.typed;
  }

  isGoingOn(at: number): boolean {
    return this.typed !== "" && at - this.last < PAUSE_MS;
  }
}

/** The next name from a place on that begins so; one letter again and again goes through all that begin with it. */
export function findTyped(names: readonly string[], typed: string, from: number): number {
  const isOneLetter = [...typed].every((letter) => letter === typed[0]);
  const wanted = isOneLetter ? (typed[0] ?? "") : typed;
  const start = isOneLetter ? from + 1 : from;
  for (let step = 0; step < names.length; step += 1) {
    const at = (start + step) % names.length;
    if (names[at]?.toLocaleLowerCase().startsWith(wanted)) return at;
  }
  return -1;
}
