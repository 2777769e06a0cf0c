/** Approvals as the API shows them, and their forms. */

import { useQuery } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import type { paths } from "@guildhall/console/api/schema";
import type { DeclaredInput } from "@guildhall/console/ui/inputs";

export type Approval = paths["/api/approvals"]["get"]["responses"]["200"]["content"]["application/json"]["items"][number];

export const APPROVALS = ["approvals"] as const;

/** What waits for this person. */
export function useMine() {
  return useQuery({
    queryKey: [...APPROVALS, "mine"],
    queryFn: () => dataOf(api.GET("/api/approvals", { params: { query: { mine: "1", limit: 100 } } })),
  });
}

interface Property {
  type?: unknown;
  title?: unknown;
  default?: unknown;
}

const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array"]);

/** The fields of a form that is a JSON Schema, by what they are called there; any other JSON is written as it is. */
export function declaredFields(form: unknown): Record<string, DeclaredInput> {
  const schema = (form ?? {}) as { properties?: Record<string, Property>; required?: unknown };
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [
      name,
      {
        type: typeof property.type === "string" && TYPES.has(property.type) ? property.type : "string",
        required: required.includes(name),
        ...(property.default !== undefined && { default: property.default }),
      },
    ]),
  );
}
