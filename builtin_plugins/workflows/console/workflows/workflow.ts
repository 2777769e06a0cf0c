/** Workflows as the API shows them. */

import { useQuery } from "@tanstack/react-query";

import { api, dataOf } from "@guildhall/console/api/client";
import type { paths } from "@guildhall/console/api/schema";
import type { DeclaredInput } from "@guildhall/console/ui/inputs";

export type WorkflowSummary =
  paths["/api/workflows"]["get"]["responses"]["200"]["content"]["application/json"]["items"][number];
export type Workflow = paths["/api/workflows/{slug}"]["get"]["responses"]["200"]["content"]["application/json"];
export type NewSpec = NonNullable<paths["/api/workflows"]["post"]["requestBody"]>["content"]["application/json"];

/** One workflow with its spec: the current version, or the one that is named. */
export function useWorkflow(slug: string, version?: number, enabled = true) {
  return useQuery({
    queryKey: ["workflow", slug, version ?? "current"],
    queryFn: () =>
      dataOf(api.GET("/api/workflows/{slug}", { params: { path: { slug }, query: version ? { version } : {} } })),
    enabled: enabled && slug !== "",
  });
}

/** The spec as text to read and to edit; the server counts versions, so that none stands in it. */
export function specText(workflow: Workflow): string {
  const { version: _, ...spec } = workflow.spec as Record<string, unknown>;
  return JSON.stringify(spec, null, 2);
}

export function declaredInputs(workflow: WorkflowSummary): Record<string, DeclaredInput> {
  return workflow.inputs as Record<string, DeclaredInput>;
}
