/** The format of a spec as the server has it, the team's tools, and what the server says of a draft. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { isRecord } from "../workflows/spec";

export type Schema = Record<string, unknown>;

export interface Kind {
  kind: string;
  doc: string;
  /** The schemas of its fields, by name. */
  fields: Record<string, Schema>;
  required: readonly string[];
}

const FOREVER = 3_600_000;
const CALM_MS = 400;

/** The kinds of steps, those of plugins too, with their fields. */
export function useKinds(): Kind[] {
  const format = useQuery({
    queryKey: ["workflow-format"],
    queryFn: () => dataOf(api.GET("/api/workflows/schema")),
    staleTime: FOREVER,
  });
  if (!format.data) return [];
  const defs = (format.data.schema as { $defs?: Record<string, Schema> }).$defs ?? {};
  return format.data.step_kinds.map(({ kind, doc }) => {
    const schema = defs[`${kind}_step`] ?? {};
    const fields = isRecord(schema.properties) ? (schema.properties as Record<string, Schema>) : {};
    return { kind, doc, fields, required: Array.isArray(schema.required) ? (schema.required as string[]) : [] };
  });
}

export interface KnownTool {
  name: string;
  parameters: Record<string, Schema>;
  required: readonly string[];
}

/** The tools that the team has turned on. */
export function useTools(): KnownTool[] {
  const tools = useQuery({ queryKey: ["tools", "known"], queryFn: () => dataOf(api.GET("/api/tools")) });
  return (tools.data?.items ?? [])
    .filter(({ enabled }) => enabled)
    .map(({ name, schema }) => {
      const parameters = (schema as { parameters?: { properties?: Record<string, Schema>; required?: string[] } }).parameters;
      return { name, parameters: parameters?.properties ?? {}, required: parameters?.required ?? [] };
    });
}

export interface Found {
  pointer: string;
  message: string;
}

/** What the server would refuse of a text, once nobody types for a moment; nothing of one that is no JSON. */
export function useProblems(text: string): Found[] | null {
  const [calm, setCalm] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setCalm(text), CALM_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const checked = useQuery({
    queryKey: ["workflow-check", calm],
    queryFn: () => dataOf(api.POST("/api/workflow-checks", { body: { spec: JSON.parse(calm) as Record<string, never> } })),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });
  return checked.data && !checked.isError ? checked.data.problems : null;
}
