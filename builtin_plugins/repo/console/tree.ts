/** Folders as the keys make them: a prefix that ends with a slash. */

import type { StoredObject } from "./objects";

export interface Page {
  items: StoredObject[];
  folders: string[];
  next_cursor: string | null;
}

export type Entry =
  | { kind: "folder"; id: string; prefix: string; name: string }
  | { kind: "object"; id: string; object: StoredObject };

export interface Crumb {
  name: string;
  prefix: string;
}

/** The folders on the way to a prefix, the outermost first. */
export function crumbsOf(prefix: string): Crumb[] {
  const crumbs: Crumb[] = [];
  for (let slash = prefix.indexOf("/"); slash >= 0; slash = prefix.indexOf("/", slash + 1)) {
    const upTo = prefix.slice(0, slash + 1);
    crumbs.push({ prefix: upTo, name: upTo.slice(crumbs.at(-1)?.prefix.length ?? 0, -1) });
  }
  return crumbs;
}

/** The folder that a key lies in. */
export const folderOf = (key: string) => key.slice(0, key.lastIndexOf("/") + 1);

/** What a list shows: of each page its folders, then what lies there. */
export function entriesOf(pages: readonly Page[], prefix: string): Entry[] {
  return pages.flatMap((page) => [
    ...page.folders.map((folder): Entry => ({ kind: "folder", id: folder, prefix: folder, name: folder.slice(prefix.length, -1) })),
    ...page.items.filter((object) => !isMark(object)).map((object): Entry => ({ kind: "object", id: object.id, object })),
  ]);
}

/** Whether an object only says that there is a folder, also while nothing else lies in it. */
export const isMark = ({ key, size }: StoredObject): boolean => key.endsWith("/") && size === 0;

/**
 * Pages with an object in its place; one that lies deeper shows as its folder. `isNew` lets it be added: to a list by
 * name where its name belongs, and to one in another order on top, where it is seen.
 */
export function insertObject(pages: readonly Page[], object: StoredObject, prefix: string, isNew: boolean, isByName = true): Page[] {
  if (pages.some((page) => page.items.some(({ id }) => id === object.id))) {
    return pages.map((page) =>
      page.items.some(({ id }) => id === object.id)
        ? { ...page, items: page.items.map((item) => (item.id === object.id ? object : item)) }
        : page,
    );
  }
  if (!isNew || !object.key.startsWith(prefix)) return [...pages];
  const slash = object.key.indexOf("/", prefix.length);
  const entry = slash < 0 ? object.key : object.key.slice(0, slash + 1);
  if (object.key === prefix || (slash >= 0 && pages.some((page) => page.folders.includes(entry)))) return [...pages];
  const place = isByName ? pages.findIndex((page) => page.next_cursor === null || entry < lastOf(page)) : 0;
  return pages.map((page, index) => {
    if (index !== place) return page;
    if (slash < 0 && !isByName) return { ...page, items: [object, ...page.items] };
    return slash < 0
      ? { ...page, items: [...page.items, object].sort((one, other) => compare(one.key, other.key)) }
      : { ...page, folders: [...page.folders, entry].sort(compare) };
  });
}

function lastOf(page: Page): string {
  const item = page.items.at(-1)?.key ?? "";
  const folder = page.folders.at(-1) ?? "";
  return item > folder ? item : folder;
}

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
