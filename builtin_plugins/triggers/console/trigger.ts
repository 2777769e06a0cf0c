/** Triggers as the API shows them, and as the form has them. */

import type { paths } from "@guildhall/console/api/schema";

export type Trigger =
  paths["/api/doc-triggers"]["get"]["responses"]["200"]["content"]["application/json"]["items"][number];
export type TriggerPageData =
  paths["/api/doc-triggers"]["get"]["responses"]["200"]["content"]["application/json"];
export type TriggerWithFires =
  paths["/api/doc-triggers/{id}"]["get"]["responses"]["200"]["content"]["application/json"];
export type Fire = TriggerWithFires["fires"][number];
export type NewTriggerBody = NonNullable<paths["/api/doc-triggers"]["post"]["requestBody"]>["content"]["application/json"];

/** The id of the document is given by the trigger itself, to workflows that declare it. */
export const GIVEN_INPUT = "object_id";

/** Media types as they are typed: one after another, with commas, spaces or lines between them. */
export function typesIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter(Boolean);
}
