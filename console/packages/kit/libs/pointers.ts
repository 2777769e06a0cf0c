/** Where in a text of JSON something stands, by its JSON pointer (RFC 6901). */

/** The line, from 1, of what a pointer names; of the nearest thing around it where it is not there. */
export function lineOf(text: string, pointer: string): number {
  const wanted = pointer.split("/").slice(1).map(unescaped);
  const offset = new Scanner(text).find(wanted);
  return lineAt(text, offset);
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

/** Why a text is no JSON, and in which line, as far as the browser tells; null where it is. */
export function jsonFault(text: string): { message: string; line: number } | null {
  try {
    JSON.parse(text);
    return null;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : "";
    const line = /line (\d+)/.exec(message)?.[1];
    const position = /position (\d+)/.exec(message)?.[1];
    if (line) return { message, line: Number(line) };
    return { message, line: lineAt(text, position ? Number(position) : text.trimEnd().length) };
  }
}

const unescaped = (part: string) => part.replaceAll("~1", "/").replaceAll("~0", "~");
const SPACE = new Set([" ", "\t", "\n", "\r"]);

/** Walks a text of JSON without making anything of it; it stops where the text is none. */
class Scanner {
  #at = 0;

  constructor(private readonly text: string) {}

  find(path: readonly string[]): number {
    this.#space();
    let nearest = this.#at;
    for (const part of path) {
      const opened = this.text[this.#at];
      const found = opened === "{" ? this.#member(part) : opened === "[" ? this.#item(Number(part)) : null;
      if (found === null) break;
      nearest = found;
    }
    return nearest;
  }

  /** Goes to the value of a member, and returns where its name begins. */
  #member(name: string): number | null {
    this.#at += 1;
    for (;;) {
      this.#space();
      if (this.text[this.#at] !== '"') return null;
      const begin = this.#at;
      this.#string();
      const read = named(this.text.slice(begin, this.#at));
      this.#space();
      if (this.text[this.#at] !== ":") return null;
      this.#at += 1;
      this.#space();
      if (read === name) return begin;
      if (!this.#next()) return null;
    }
  }

  /** Goes to an item of a list, and returns where it begins. */
  #item(index: number): number | null {
    this.#at += 1;
    for (let place = 0; ; place += 1) {
      this.#space();
      if (this.#at >= this.text.length || this.text[this.#at] === "]") return null;
      if (place === index) return this.#at;
      if (!this.#next()) return null;
    }
  }

  /** Passes over a value and the comma behind it. */
  #next(): boolean {
    let depth = 0;
    for (; this.#at < this.text.length; ) {
      const sign = this.text[this.#at];
      if (sign === '"') {
        this.#string();
        continue;
      }
      if (sign === "{" || sign === "[") depth += 1;
      else if (sign === "}" || sign === "]") {
        if (depth === 0) return false;
        depth -= 1;
      } else if (sign === "," && depth === 0) {
        this.#at += 1;
        return true;
      }
      this.#at += 1;
    }
    return false;
  }

  #string(): void {
    for (this.#at += 1; this.#at < this.text.length && this.text[this.#at] !== '"'; this.#at += 1) {
      if (this.text[this.#at] === "\\") this.#at += 1;
    }
    this.#at += 1;
  }

  #space(): void {
    while (SPACE.has(this.text[this.#at] ?? "")) this.#at += 1;
  }
}

function named(quoted: string): string | null {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return null;
  }
}
