/** What a form holds while it is filled in, and the body that it makes, by the JSON schema of a row. */

export interface Schema {
  type?: string;
  title?: string;
  description?: string;
  format?: string;
  enum?: string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  default?: unknown;
}

/** A field as it is typed: figures are texts until they are sent, so that nothing typed is lost. */
export type Draft = string | boolean | string[] | { [name: string]: Draft };

/** A schema without the null that it also takes. */
export function bare(schema: Schema): { schema: Schema; isNullable: boolean } {
  const choices = schema.anyOf ?? [];
  const others = choices.filter((choice) => choice.type !== "null");
  const [only] = others;
  if (!only || others.length !== 1 || choices.length !== 2) return { schema, isNullable: false };
  const { anyOf: _, ...beside } = schema;
  return { schema: { ...only, ...beside }, isNullable: true };
}

/** What a field holds to begin with: the value that is there, else the default of its schema. */
export function draftOf(given: Schema, value: unknown = given.default): Draft {
  const { schema } = bare(given);
  switch (schema.type) {
    case "object": {
      const held = isRecord(value) ? value : {};
      const fields = Object.entries(schema.properties ?? {});
      return Object.fromEntries(fields.map(([name, below]) => [name, draftOf(below, own(held, name) ?? bare(below).schema.default)]));
    }
    case "array":
      return Array.isArray(value) ? value.map(String) : [];
    case "boolean":
      return value === true;
    default:
      return value === undefined || value === null ? "" : String(value);
  }
}

/** The body that a draft makes; `undefined` is a field that is left out. */
export function bodyOf(given: Schema, draft: Draft, isRequired = true): unknown {
  const { schema, isNullable } = bare(given);
  const nothing = isNullable && isRequired ? null : undefined;
  if (schema.type === "object") {
    const held = isRecord(draft) ? (draft as Record<string, Draft>) : {};
    const fields = Object.entries(schema.properties ?? {}).flatMap(([name, below]) => {
      const value = bodyOf(below, own(held, name) ?? draftOf(below), schema.required?.includes(name) ?? false);
      return value === undefined ? [] : [[name, value] as const];
    });
    return fields.length === 0 && !isRequired ? undefined : Object.fromEntries(fields);
  }
  if (Array.isArray(draft)) return draft.length === 0 && !isRequired ? undefined : draft;
  if (typeof draft === "boolean") return draft;
  if (draft === "") return schema.type === "string" && isRequired && !isNullable && !schema.enum ? "" : nothing;
  if (schema.type === "integer" || schema.type === "number") {
    // What is no number is sent as it was typed: the server says what is wrong with it.
    return figureOf(String(draft).trim(), schema.type) ?? draft;
  }
  return draft;
}

// 1,5 is a decimal in half of the world; 1,000 may be a thousand, and is nobody's to guess.
const DECIMAL_COMMA = /^-?\d*,(?!\d{3}$)\d+$/;

function figureOf(text: string, type: "integer" | "number"): number | undefined {
  const figure = Number(type === "number" && DECIMAL_COMMA.test(text) ? text.replace(",", ".") : text);
  return text !== "" && Number.isFinite(figure) ? figure : undefined;
}

/** A field of an answer; `owner.name` is a field within a field. */
export function valueAt(item: unknown, field: string): unknown {
  return field.split(".").reduce<unknown>((found, name) => (isRecord(found) ? own(found, name) : undefined), item);
}

/** A field may be called `constructor`, and is then none of the language's own. */
export const own = <T>(record: Record<string, T>, name: string): T | undefined => (Object.hasOwn(record, name) ? record[name] : undefined);

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** One segment of a JSON pointer. */
export const escaped = (name: string) => name.replace(/~/g, "~0").replace(/\//g, "~1");
