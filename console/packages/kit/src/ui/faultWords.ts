/** What the server says of a value, in the words of whoever typed it. */

import { Problem } from "../api/problem";
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

/** What is wrong with a field of several things: with all of it, or with the first that is wrong, by what it is. */
export function faultOfList(problem: unknown, pointer: string, items: readonly string[]): { fault?: string; faultLabel?: string } {
  if (!(problem instanceof Problem)) return {};
  const whole = problem.at(pointer);
  if (whole !== undefined) return { fault: whole };
  const at = items.findIndex((_, place) => problem.at(`${pointer}/${place}`) !== undefined);
  const fault = problem.at(`${pointer}/${at}`);
  return fault === undefined ? {} : { fault, faultLabel: `“${items[at]}”` };
}

function valuesOf(names: readonly string[], found: readonly string[]): Values {
  const values = names.map((name, at) => [name, name === "count" ? Number(found[at]) : (found[at] ?? "").replaceAll('"', "")]);
  return Object.fromEntries(values) as Values;
}

/** Why a job, a run or a tool failed, by the names of what was wrong: `/text: is required; /id: …` has none of a pointer's signs then. */
export function reasonWords(t: Translate, reason: string): string {
  const parts = reason.split(/; (?=\/)/).map((part) => /^(\/[^\s:]+): (.+)$/s.exec(part));
  if (!parts.every((part) => part !== null)) return reason;
  return parts.map(([, pointer = "", message = ""]) => faultWords(t, placeWords(pointer), message)).join("; ");
}

/** The name of the place that a JSON pointer leads to, where no field of the page has a better one: `/steps/0/with` is "Steps 1 with". */
export function placeWords(pointer: string): string {
  if (!pointer.startsWith("/")) return pointer;
  const parts = pointer.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const words = parts.map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : part.replaceAll(/[_-]/g, " "))).join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
