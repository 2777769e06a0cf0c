/** What an event changed: each field with what it was before and what it is now. */

export interface Change {
  /** The name of the field; empty where the event is about one thing alone. */
  field: string;
  before: unknown;
  after: unknown;
}

type Detail = Record<string, unknown>;

const isRecord = (value: unknown): value is Detail => typeof value === "object" && value !== null && !Array.isArray(value);

/** From `from` and `to` of a detail, or from a switch; nothing where the event tells of no change. */
export function changesOf({ detail }: { detail: Detail }): Change[] {
  if ("from" in detail && ("to" in detail || "limit" in detail)) {
    const [before, after] = [detail.from, "to" in detail ? detail.to : detail.limit];
    if (!isRecord(before) || !isRecord(after)) return [{ field: "", before, after }];
    const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return fields.map((field) => ({ field, before: before[field], after: after[field] }));
  }
  if (typeof detail.enabled === "boolean") return [{ field: "", before: !detail.enabled, after: detail.enabled }];
  return [];
}

/** The fields that an event says were changed, of which it tells no values: they are private. */
export function fieldsOf({ detail }: { detail: Detail }): string[] {
  const known = new Set(changesOf({ detail }).map(({ field }) => field));
  return Array.isArray(detail.fields) ? detail.fields.map(String).filter((field) => !known.has(field)) : [];
}

const TOLD = new Set(["from", "to", "limit", "enabled", "fields"]);

/** The rest of what an event tells. */
export function factsOf({ detail }: { detail: Detail }): [string, unknown][] {
  const hasChanges = changesOf({ detail }).length > 0;
  return Object.entries(detail).filter(([name]) => !(hasChanges ? TOLD.has(name) : name === "fields"));
}

/** The name of a field as people read it: `match_types` is "Match types". */
export function fieldWords(field: string): string {
  const words = field.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
