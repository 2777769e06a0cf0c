/** Message catalogs as files: JSON whose texts stand by key, flat or in groups. */

export type Messages = Record<string, string>;
type Path = readonly string[];

const isGroup = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
const keyOf = (path: Path) => path.join(".");

/** The texts of a catalog by key, those of groups by `group.key`; null where it is none. */
export function messagesOf(catalog: unknown): Messages | null {
  if (!isGroup(catalog)) return null;
  const found = textsOf(catalog, []);
  const messages = Object.fromEntries(found);
  const isUnique = Object.keys(messages).length === found.length;
  return found.length > 0 && isUnique ? messages : null;
}

function textsOf(value: unknown, path: Path): [string, string][] {
  if (typeof value === "string") return [[keyOf(path), value]];
  return isGroup(value) ? Object.entries(value).flatMap(([key, inner]) => textsOf(inner, [...path, key])) : [];
}

/** The same catalog with other texts; what is no text stays as it is. */
export function withMessages(catalog: unknown, messages: Messages, path: Path = []): unknown {
  if (typeof catalog === "string") return messages[keyOf(path)] ?? catalog;
  if (!isGroup(catalog)) return catalog;
  return Object.fromEntries(Object.entries(catalog).map(([key, inner]) => [key, withMessages(inner, messages, [...path, key])]));
}

export function readCatalog(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return null;
  }
}

/** What the file in another language is called: `messages.en.json` becomes `messages.nl.json`. */
export function filenameFor(filename: string, target: string): string {
  const stem = filename.replace(/\.json$/i, "").replace(/(^|[._-])[a-z]{2,3}(-[A-Za-z0-9]+)*$/, "");
  return stem ? `${stem}.${target}.json` : `${target}.json`;
}
