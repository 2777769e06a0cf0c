/** The text of the parts that are there so far: a letter that a part ends in the middle of waits for the next one. */
export function textOf(parts: readonly ArrayBuffer[]): string {
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join("");
}
