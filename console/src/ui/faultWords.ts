/** What the server says of a value, in the words of whoever typed it. */

import type { Translate, Values } from "../i18n/texts";

/** The server's messages about values, which are English, and the texts that say the same by a field's label. */
const MESSAGES: readonly [RegExp, string, readonly string[]][] = [
  [/^(?:is required|must not be empty)$/, "missing", []],
  [/^must have at least (\d+) characters?$/, "min_length", ["count"]],
  [/^must have at most (\d+) characters?(?:, not \d+)?$/, "max_length", ["count"]],
  [/^must be a whole number(?: or null)?$/, "integer", []],
  [/^must be a number(?: or null)?$/, "number", []],
  [/^must be text(?: in quotes)?(?: or null)?(?:, not .+)?$/, "text", []],
  [/^must be at least (-?[\d.]+)$/, "minimum", ["limit"]],
  [/^must be at most (-?[\d.]+)$/, "maximum", ["limit"]],
  [/^must be greater than (-?[\d.]+)$/, "above", ["limit"]],
  [/^must be less than (-?[\d.]+)$/, "below", ["limit"]],
  [/^must hold at least (\d+) items?$/, "min_items", ["count"]],
  [/^must hold at most (\d+) items?$/, "max_items", ["count"]],
  [/^must be one of (.+)$/, "choice", ["choices"]],
];

/** A message about a value by the label of its field; one that is not known stays in the server's words. */
export function faultWords(t: Translate, label: string, message: string): string {
  for (const [pattern, key, names] of MESSAGES) {
    const found = pattern.exec(message);
    if (found) return t(`fault.${key}`, { label, ...valuesOf(names, found.slice(1)) });
  }
  // A whole sentence stands by itself.
  return message.endsWith(".") ? message : t("fault.other", { label, message });
}

function valuesOf(names: readonly string[], found: readonly string[]): Values {
  const values = names.map((name, at) => [name, name === "count" ? Number(found[at]) : (found[at] ?? "").replaceAll('"', "")]);
  return Object.fromEntries(values) as Values;
}

/** The name of the place that a JSON pointer leads to, where no field of the page has a better one: `/steps/0/with` is "Steps 1 with". */
export function placeWords(pointer: string): string {
  if (!pointer.startsWith("/")) return pointer;
  const parts = pointer.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const words = parts.map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : part.replaceAll(/[_-]/g, " "))).join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
