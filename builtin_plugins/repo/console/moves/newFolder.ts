/** A folder with nothing in it yet: an object of no bytes whose key is the folder's, as S3 programs make it too. */

import { authorizedFetch } from "@guildhall/console/api/client";
import { problemOf } from "@guildhall/console/api/problem";
import type { StoredObject } from "../objects";
import { addressOf } from "../uploads/send";

const FOLDER_TYPE = "application/x-directory";

/** Makes a folder; throws a `Problem` where there is one of this name. */
export async function makeFolder(prefix: string): Promise<StoredObject> {
  const headers = { "Content-Type": FOLDER_TYPE, "If-None-Match": "*" };
  const response = await authorizedFetch(new Request(addressOf(prefix), { method: "PUT", headers, body: new Blob() }));
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as StoredObject;
}
