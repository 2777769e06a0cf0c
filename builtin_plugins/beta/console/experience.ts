/** An experience as it is edited: the draft of a page, its fields and texts. */

export const FIELD_TYPES = ["text", "email", "textarea", "select", "checkbox", "url"] as const;
export type FieldType = (typeof FIELD_TYPES)[number];
export const ASSET_KINDS = ["logo", "hero", "font"] as const;
export type AssetKind = (typeof ASSET_KINDS)[number];

export interface Field {
  name: string;
  type: FieldType;
  label: string;
  required?: boolean;
  options?: string[];
  max_length?: number;
}

export type Copy = Record<string, Record<string, string>>;
export type Theme = Record<string, string | number>;

export interface Document {
  fields: Field[];
  copy: Copy;
  theme: Theme;
  judge_prompt: string;
  template: string | null;
  assets: Partial<Record<AssetKind, string | null>>;
}

export interface Draft extends Document {
  version: number;
  saved_at: string | null;
  /** The plugins whose page can be made the draft. */
  offers: string[];
}

export function documentOf({ fields, copy, theme, judge_prompt, template, assets }: Document): Document {
  return { fields, copy, theme, judge_prompt, template, assets };
}

export const isSame = (one: Document, other: Document): boolean =>
  JSON.stringify(documentOf(one)) === JSON.stringify(documentOf(other));

/** What the default page shows, in the order in which it does. */
export const PAGE_TEXTS = [
  "eyebrow", "title", "subtitle", "form_title", "form_note", "submit", "privacy", "thanks_title", "thanks", "footer", "contact", "hero_alt",
] as const;

/** The keys of the texts to edit: those of the page, of the form's fields, and whatever else stands there. */
export function textKeys({ fields, copy }: Pick<Document, "fields" | "copy">): { page: string[]; form: string[]; other: string[] } {
  const form = fields.flatMap(({ name, type, options }) => [
    `label_${name}`,
    `help_${name}`,
    ...(type === "checkbox" || type === "select" ? [] : [`placeholder_${name}`]),
    ...(type === "select" ? (options ?? []).map((_, place) => `option_${name}_${place + 1}`) : []),
  ]);
  const known = new Set<string>([...PAGE_TEXTS, ...form]);
  const other = [...new Set(Object.values(copy).flatMap((texts) => Object.keys(texts)))].filter((key) => !known.has(key)).sort();
  return { page: [...PAGE_TEXTS], form, other };
}

/** The texts with a language back in its place that `before` had and that was removed since. */
export function withLanguageBack(copy: Copy, before: Copy, locale: string): Copy {
  const texts = { [locale]: before[locale] ?? {}, ...copy };
  const order = [...Object.keys(before), ...Object.keys(copy)].filter((one) => one in texts);
  return Object.fromEntries(order.map((one) => [one, texts[one] ?? {}]));
}

/** One text of one language; an empty one is left out, so that the next language of the chain speaks. */
export function withText(copy: Copy, locale: string, key: string, text: string): Copy {
  const { [key]: _, ...rest } = copy[locale] ?? {};
  return { ...copy, [locale]: text === "" ? rest : { ...rest, [key]: text } };
}

/** A name that no other field has. */
export function freshName(fields: readonly Field[]): string {
  const taken = new Set(fields.map(({ name }) => name));
  for (let number = fields.length + 1; ; number += 1) if (!taken.has(`field_${number}`)) return `field_${number}`;
}

/** A list with one item moved by so many places. */
export function moved<Item>(items: readonly Item[], from: number, by: number): Item[] {
  const to = from + by;
  const item = items[from];
  if (item === undefined || to < 0 || to >= items.length) return [...items];
  const rest = items.filter((_, place) => place !== from);
  return [...rest.slice(0, to), item, ...rest.slice(to)];
}
