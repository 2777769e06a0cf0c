/** What was dropped or picked, as files with their keys; folders bring what is in them. */

import { UNREADABLE } from "./content";
import type { Wanted } from "./queue";

/** Files of an `<input>`; one for folders says where each lay. */
export function wantedOf(files: Iterable<File>, prefix: string): Wanted[] {
  return [...files].map((file) => ({ key: keyOf(prefix, file.webkitRelativePath || file.name), file }));
}

/** Files of a drop. Must be called in its event: what was dropped is gone afterwards. */
export async function wantedFromDrop(data: DataTransfer, prefix: string): Promise<Wanted[]> {
  const roots = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (roots.length === 0) return wantedOf(data.files, prefix);
  const found: Wanted[] = [];
  for (const root of roots) await collectIfReadable(root, prefix, found);
  return found;
}

/** What cannot be read is listed too: nobody takes it for uploaded, and the others go. */
async function collectIfReadable(entry: FileSystemEntry, prefix: string, found: Wanted[]): Promise<void> {
  try {
    await collect(entry, prefix, found);
  } catch {
    found.push({ key: keyOf(prefix, entry.fullPath), file: UNREADABLE });
  }
}

async function collect(entry: FileSystemEntry, prefix: string, found: Wanted[]): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    found.push({ key: keyOf(prefix, entry.fullPath), file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A reader gives a hundred at a time, and none at the end.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return;
    for (const child of entries) await collectIfReadable(child, prefix, found);
  }
}

function keyOf(prefix: string, path: string): string {
  return prefix + path.replace(/^\/+/, "");
}

