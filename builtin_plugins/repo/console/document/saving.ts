/** Saving a text over the version that it was typed over; a newer one is not overwritten. */

import { api, authorizedFetch, dataOf } from "@guildhall/console/api/client";
import { problemOf } from "@guildhall/console/api/problem";
import type { StoredObject } from "../objects";
import { mediaType } from "@guildhall/console/ui/sizes";
import { addressOf } from "../uploads/send";

/** The entity tag of a content: who changes only the visibility is in nobody's way. */
export const tagOf = ({ sha256 }: { sha256: string }) => `"${sha256}"`;

export async function saveText(object: StoredObject, text: string, base: string): Promise<StoredObject> {
  if (mediaType(object.content_type) === "text/markdown") {
    return dataOf(
      api.PUT("/api/documents/{id}", { params: { path: { id: object.id } }, body: { body: text }, headers: { "If-Match": base } }),
    );
  }
  const query = new URLSearchParams({ filename: object.filename });
  const request = new Request(`${addressOf(object.key)}?${query}`, {
    method: "PUT",
    headers: { "If-Match": base, "Content-Type": object.content_type },
    body: text,
  });
  const response = await authorizedFetch(request);
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as StoredObject;
}
