/** The form of a workflow's inputs: what stands in its fields, and the values that it makes of them. */

export type InputType = "string" | "number" | "integer" | "boolean" | "object" | "array";

export interface DeclaredInput {
  type: string;
  required?: boolean;
  default?: unknown;
}

export interface InputField {
  name: string;
  type: InputType;
  isRequired: boolean;
  hasDefault: boolean;
  default: unknown;
  /** Whether it is the id of a document, which is picked rather than typed. */
  isDocument: boolean;
}

/** What stands in each field: JSON for lists and objects, `true` or `false` for switches. */
export type Entries = Record<string, string>;
export type Fault = "required" | "number" | "integer" | "json" | "array" | "object";

const DOCUMENT = /^(object|document|doc|source|file)(_id)?$/;

export function fieldsOf(inputs: Record<string, DeclaredInput>): InputField[] {
  return Object.entries(inputs).map(([name, declared]) => ({
    name,
    type: declared.type as InputType,
    isRequired: declared.required !== false,
    hasDefault: declared.default !== undefined && declared.default !== null,
    default: declared.default,
    isDocument: declared.type === "string" && DOCUMENT.test(name),
  }));
}

/** The entries to begin with: what a run before was given, else the default. */
export function firstEntries(fields: readonly InputField[], given: Record<string, unknown> = {}): Entries {
  return Object.fromEntries(fields.map((field) => [field.name, entryOf(field, given[field.name] ?? field.default)]));
}

function entryOf(field: InputField, value: unknown): string {
  if (field.type === "boolean") return String(value === true);
  if (value === undefined || value === null) return "";
  if (typeof value === "string" && field.type === "string") return value;
  return isPlainList(value) ? value.join("\n") : JSON.stringify(value, null, 2);
}

/** Texts that read as a list of lines, and are read again as the same. */
function isPlainList(value: unknown): value is string[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every((item) => typeof item === "string" && item !== "" && item === item.trim() && !/[\n\r]|^[[{]/.test(item));
}

const linesOf = (entry: string) => entry.split("\n").map((line) => line.trim()).filter(Boolean);

/** The input of a run, or what is wrong with which field. */
export function readEntries(
  fields: readonly InputField[],
  entries: Entries,
): { input: Record<string, unknown>; faults: Record<string, Fault> } {
  const input: Record<string, unknown> = {};
  const faults: Record<string, Fault> = {};
  for (const field of fields) {
    const entry = entries[field.name] ?? "";
    const read = readEntry(field, entry);
    if (typeof read === "string") faults[field.name] = read;
    else if (read) input[field.name] = read.value;
  }
  return { input, faults };
}

function readEntry(field: InputField, entry: string): { value: unknown } | Fault | null {
  if (field.type === "boolean") return { value: entry === "true" };
  // An empty text is a value like any other, where one has to be given.
  if (field.type === "string") return entry || (field.isRequired && !field.isDocument) ? { value: entry } : absent(field);
  if (!entry.trim()) return absent(field);
  if (field.type === "number" || field.type === "integer") return readNumber(entry, field.type);
  if (field.type === "array" && !/^\s*[[{]/.test(entry)) return { value: linesOf(entry) };
  try {
    const value: unknown = JSON.parse(entry);
    if (field.type === "array") return Array.isArray(value) ? { value } : "array";
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { value } : "object";
  } catch {
    return "json";
  }
}

const absent = (field: InputField): Fault | null => (field.isRequired ? "required" : null);

function readNumber(entry: string, type: "number" | "integer"): { value: number } | Fault {
  const value = Number(entry.trim().replace(",", "."));
  if (!Number.isFinite(value)) return type;
  return type === "integer" && !Number.isSafeInteger(value) ? "integer" : { value };
}

/** The JSON pointer of an input in the body of a request. */
export const inputPointer = (name: string): string => `/input/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
