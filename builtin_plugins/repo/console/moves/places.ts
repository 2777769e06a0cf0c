/** Where things go: the keys and prefixes that a move or another name gives them. */

import { plainName } from "@guildhall/console/ui/sizes";
import { folderOf, type Entry } from "../tree";

/** What an entry is called where it lies: the last step of its key or prefix. */
export function nameOf(entry: Entry): string {
  return entry.kind === "folder" ? lastStep(entry.prefix) : entry.object.key.slice(folderOf(entry.object.key).length);
}

/** What people see it called; a document whose key is made up goes by its name. */
export const titleOf = (entry: Entry): string => plainName(entry.kind === "folder" ? lastStep(entry.prefix) || "/" : entry.object.filename);

/** The folder that an entry lies in. */
export const placeOf = (entry: Entry): string => folderOf(entry.kind === "folder" ? entry.prefix.slice(0, -1) : entry.object.key);

/** Where an entry goes that is put into a folder under a name. */
export const keyIn = (entry: Entry, folder: string, name = nameOf(entry)): string => `${folder}${name}${entry.kind === "folder" ? "/" : ""}`;

/** Whether an entry may be put into a folder: not where it lies already, and no folder into itself. */
export function fitsInto(entry: Entry, folder: string): boolean {
  if (placeOf(entry) === folder) return false;
  return entry.kind !== "folder" || !folder.startsWith(entry.prefix);
}

function lastStep(prefix: string): string {
  const whole = prefix.slice(0, -1);
  return whole.slice(folderOf(whole).length);
}

/** Why a name is none that a file or folder may have, as a key of the catalog; null for one that is fine. */
export function nameFault(name: string): "files.name_slash" | "files.name_dots" | null {
  if (name.includes("/")) return "files.name_slash";
  return name === "." || name === ".." ? "files.name_dots" : null;
}

/** Where the ending of a name begins: what is before it is what people change. */
export function stemLength(name: string): number {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? dot : name.length;
}
