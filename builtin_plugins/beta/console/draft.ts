/** The team's draft, over the wire. */

import { api, dataOf } from "@guildhall/console/api/client";
import type { paths } from "@guildhall/console/api/schema";
import type { Document, Draft } from "./experience";

type Change = NonNullable<paths["/api/beta/experience"]["put"]["requestBody"]>["content"]["application/json"];
type Read = paths["/api/beta/experience"]["get"]["responses"]["200"]["content"]["application/json"];

export const DRAFT_KEY = ["beta", "experience"] as const;

/** Under which name what was typed and not saved is kept on this device. */
export const keptAs = (teamId: string) => `beta.experience.${teamId}`;

/** The row says of its parts only that they are objects; these are the ones that it judges them by. */
const draftOf = (read: Read) => read as unknown as Draft;

export const loadDraft = async () => draftOf(await dataOf(api.GET("/api/beta/experience")));

/** Saves over the version that was read, and no other. */
export async function saveDraft(document: Document, version: number): Promise<Draft> {
  const headers = { "If-Match": `"${version}"` };
  return draftOf(await dataOf(api.PUT("/api/beta/experience", { body: document as unknown as Change, headers })));
}

export const publishDraft = (version: number) =>
  dataOf(api.POST("/api/beta/experience/publish", { headers: { "If-Match": `"${version}"` } }));
