/** ICU messages: what they name, whether a translation names the same, and how they read with sample values. */

import IntlMessageFormat from "intl-messageformat";

export type ArgumentKind = "text" | "number" | "date" | "time" | "select" | "plural";

export interface Argument {
  name: string;
  kind: ArgumentKind;
  /** The branches of a select. */
  branches: string[];
}

type Ast = ReturnType<IntlMessageFormat["getAst"]>;

const KINDS: Record<number, ArgumentKind> = { 1: "text", 2: "number", 3: "date", 4: "time", 5: "select", 6: "plural" };

export type Parsed = { ok: true; format: IntlMessageFormat; args: Argument[] } | { ok: false; place: number | null };

export function parse(text: string, locale: string): Parsed {
  try {
    const format = new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
    return { ok: true, format, args: argumentsIn(format.getAst()) };
  } catch (cause) {
    const place = (cause as { location?: { start?: { offset?: number } } }).location?.start?.offset;
    return { ok: false, place: place ?? null };
  }
}

function argumentsIn(ast: Ast): Argument[] {
  const found = new Map<string, Argument>();
  const visit = (elements: Ast) => {
    for (const element of elements) {
      const kind = KINDS[element.type];
      if (!kind || !("value" in element)) continue;
      const branches = "options" in element ? Object.keys(element.options) : [];
      const name = element.value;
      const known = found.get(name);
      // What is counted or chosen by says more of an argument than a place where it merely stands.
      if (!known || known.kind === "text") found.set(name, { name, kind, branches: kind === "select" ? branches : [] });
      if ("options" in element) for (const option of Object.values(element.options)) visit(option.value);
    }
  };
  visit(ast);
  return [...found.values()];
}

export type Fault =
  | { code: "syntax"; place: number | null }
  | { code: "missing"; name: string }
  | { code: "unknown"; name: string }
  | { code: "kind"; name: string };

/** What is plainly wrong with a translation while it is typed; the server has the last word. */
export function faultsOf(source: string, text: string, locale: string): Fault[] {
  if (!text.trim()) return [];
  const [wanted, given] = [parse(source, "en"), parse(text, locale)];
  if (!given.ok) return [{ code: "syntax", place: given.place }];
  if (!wanted.ok) return [];
  const kinds = new Map(given.args.map(({ name, kind }) => [name, kind]));
  const known = new Set(wanted.args.map(({ name }) => name));
  return [
    ...wanted.args.flatMap(({ name, kind }): Fault[] => {
      const here = kinds.get(name);
      if (here === undefined) return [{ code: "missing", name }];
      return here === kind ? [] : [{ code: "kind", name }];
    }),
    ...given.args.filter(({ name }) => !known.has(name)).map(({ name }): Fault => ({ code: "unknown", name })),
  ];
}

/** Numbers that between them take every plural form of a language; none and one are where most go wrong. */
export function pluralSamples(locale: string): number[] {
  const rules = new Intl.PluralRules(locale);
  const samples = new Map<string, number>();
  for (const number of [0, 1, 2, 3, 4, 5, 6, 11, 21, 100, 1_000_000]) {
    const form = rules.select(number);
    if (!samples.has(form) || (form === "other" && samples.get(form) === 0)) samples.set(form, number);
  }
  return [...new Set([0, 1, ...samples.values()])].sort((one, other) => one - other);
}

export type Sample = string;

/** What a message is shown with until somebody chooses otherwise. */
export function sampleOf({ name, kind, branches }: Argument): Sample {
  if (kind === "plural" || kind === "number") return "3";
  if (kind === "select") return branches[0] ?? "other";
  if (kind === "date" || kind === "time") return "2026-01-31T15:30";
  return SAMPLES[name] ?? name;
}

const SAMPLES: Record<string, string> = { name: "Anna", count: "3", number: "3", percent: "42%", title: "Harbour", date: "31 Jan 2026" };

/** How a message reads with these values; null while it cannot be read. */
export function render(text: string, locale: string, samples: Record<string, Sample>): string | null {
  const parsed = parse(text, locale);
  if (!parsed.ok) return null;
  const values: Record<string, string | number | Date> = {};
  for (const { name, kind, branches } of parsed.args) {
    const given = samples[name] ?? sampleOf({ name, kind, branches });
    if (kind === "plural" || kind === "number") values[name] = Number(given) || 0;
    else if (kind === "date" || kind === "time") values[name] = new Date(given);
    else values[name] = given;
  }
  try {
    return String(parsed.format.format(values));
  } catch {
    return null;
  }
}
