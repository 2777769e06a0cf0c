/** What was dropped or picked, as files with their keys; folders bring what is in them. */

import { Problem } from "@guildhall/console/api/problem";
import type { Wanted } from "./queue";

/** The device would not hand out what lies there. */
export class Unreadable extends Problem {
  constructor() {
    super({ title: "Unreadable", status: 0, detail: "", code: "unreadable" });
    this.name = "Unreadable";
  }
}

/** Files of an `<input>`; one for folders says where each lay. */
export function wantedOf(files: Iterable<File>, prefix: string): Wanted[] {
  return [...files].map((file) => ({ key: keyOf(prefix, file.webkitRelativePath || file.name), file }));
}

/** Files of a drop. Must be called in its event: what was dropped is gone afterwards. */
export async function wantedFromDrop(data: DataTransfer, prefix: string): Promise<Wanted[]> {
  const roots = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (roots.length === 0) return wantedOf(data.files, prefix);
  const found: Wanted[] = [];
  for (const root of roots) await collect(root, prefix, found);
  return found;
}

const PICTURE = /^image\.(?:png|jpe?g|gif|webp)$/;

/** Files that were pasted; a picture that no program named gets a name by the time, so that the next is no version of it. */
export function wantedFromPaste(files: Iterable<File>, prefix: string, now: Date): Wanted[] {
  const stamp = now.toISOString().slice(0, 19).replace("T", " ").replaceAll(":", ".");
  return [...files].map((file) => ({ key: keyOf(prefix, PICTURE.test(file.name) ? file.name.replace("image", `Pasted ${stamp}`) : file.name), file }));
}

/** Puts all that an entry holds into `found`; what cannot be read is named there too, to be tried again. */
async function collect(entry: FileSystemEntry, prefix: string, found: Wanted[]): Promise<void> {
  const key = keyOf(prefix, entry.fullPath);
  try {
    if (entry.isFile) found.push({ key, file: await fileOf(entry) });
    else for (const child of await childrenOf(entry as FileSystemDirectoryEntry)) await collect(child, prefix, found);
  } catch {
    const read = () => (entry.isFile ? fileOf(entry) : Promise.reject(new Unreadable()));
    found.push({ key, file: new Blob(), refused: { problem: new Unreadable(), read } });
  }
}

function fileOf(entry: FileSystemEntry): Promise<File> {
  return new Promise((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, () => reject(new Unreadable())));
}

async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    // A reader gives a hundred at a time, and none at the end.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return children;
    children.push(...entries);
  }
}

function keyOf(prefix: string, path: string): string {
  return prefix + path.replace(/^\/+/, "");
}
