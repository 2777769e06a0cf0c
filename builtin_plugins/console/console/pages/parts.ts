/** What pages as data are made of, as the server describes them, and what their paths are for one thing. */

import type { ListedPage } from "@guildhall/console/screens/pages";
import type { Schema } from "@guildhall/console/screens/schema";

export interface ShownColumn {
  field: string;
  label: string;
  schema: Schema;
}

export interface TableSpec {
  kind: "table" | "facts";
  title: string;
  source: string;
  columns: ShownColumn[];
  empty: string;
  /** Where the page about one item is, and the field that ends its address. */
  opens: string | null;
  field: string | null;
  actions: FormSpec[];
  filters: { name: string; schema: Schema }[];
  chart: boolean;
}

export interface FormSpec {
  kind: "form";
  title: string;
  method: string;
  target: string;
  takes: "fields" | "file" | "nothing";
  schema: Schema;
  submit: string;
  done: string;
  filled_from: string | null;
  answer: ShownColumn[];
}

export interface BundleSpec {
  kind: "bundle";
  title: string;
  routes: { method: string; path: string }[];
}

export type PartSpec = TableSpec | FormSpec | BundleSpec;

/** The parts of a page; which fields one has follows from its kind. */
export const partsOf = (page: ListedPage) => page.parts as unknown as PartSpec[];

/** A path with its parameters filled by the fields of something. */
export function filledPath(path: string, fields: Record<string, unknown>): string {
  return path.replace(/:(\w+)/g, (whole, name: string) => (fields[name] === undefined ? whole : encodeURIComponent(String(fields[name]))));
}

/** A part of a page about one thing, with its paths as they are for that. */
export function partFor<Part extends PartSpec>(part: Part, fields: Record<string, unknown>): Part {
  if (part.kind === "bundle") return part;
  if (part.kind !== "form") return { ...part, source: filledPath(part.source, fields) };
  return { ...part, target: filledPath(part.target, fields), filled_from: part.filled_from && filledPath(part.filled_from, fields) };
}
