/** The files that changed last: what was uploaded together is one line. */

import { folderOf } from "./tree";

type Owner = { id: string; name: string };

export interface RecentFile {
  id: string;
  title: string;
  owner: Owner;
  at: string;
  /** Of files that came together: how many, and the folder that all of them are in. */
  count?: number;
  folder?: string;
}

export function pathOf({ id, count, folder }: RecentFile): string {
  if (count === undefined) return `/files/${id}`;
  return folder ? `/files?prefix=${encodeURIComponent(folder)}` : "/files";
}

interface StoredFile {
  id: string;
  key: string;
  filename: string;
  owner: Owner;
  updated_at: string;
}

/** Files of one person that came this soon after one another are one upload, from this many on. */
const TOGETHER_MS = 60_000;
const MANY = 3;

/** Files, newest first; those that were uploaded together as one. */
export function together(files: readonly StoredFile[]): RecentFile[] {
  // What only says that there is a folder is no piece of work.
  const sorted = files.filter(({ key }) => !key.endsWith("/")).sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  const uploads: StoredFile[][] = [];
  const last = new Map<string, StoredFile[]>();
  for (const file of sorted) {
    const upload = last.get(file.owner.id);
    const before = upload?.at(-1);
    if (upload && before && Date.parse(before.updated_at) - Date.parse(file.updated_at) <= TOGETHER_MS) upload.push(file);
    else {
      const begun = [file];
      uploads.push(begun);
      last.set(file.owner.id, begun);
    }
  }
  return uploads.flatMap((upload) => (upload.length < MANY ? upload.map(single) : [many(upload)]));
}

const single = (file: StoredFile): RecentFile => ({ id: file.id, title: titleOf(file), owner: file.owner, at: file.updated_at });

function many(upload: readonly StoredFile[]): RecentFile {
  const [first] = upload as [StoredFile];
  const folder = upload.map(({ key }) => folderOf(key)).reduce(sharedFolder);
  return { id: first.id, title: first.filename, owner: first.owner, at: first.updated_at, count: upload.length, folder };
}

/** The folder that two folders are both in. */
function sharedFolder(one: string, other: string): string {
  let folder = one;
  while (!other.startsWith(folder)) folder = folderOf(folder.slice(0, -1));
  return folder;
}

/** Where it lies; a document whose key is made up goes by its name. */
const titleOf = ({ key, filename }: { key: string; filename: string }): string => (key.endsWith(filename) ? key : filename);
