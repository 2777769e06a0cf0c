/** Downloads. They carry the bearer, so no link can do it: small ones by way of memory, large ones straight to disk. */

import { authorizedFetch } from "@guildhall/console/api/client";
import { problemOf } from "@guildhall/console/api/problem";

const MAX_IN_MEMORY = 64_000_000;

interface SaveDialog {
  showSaveFilePicker?: (options: { suggestedName: string }) => Promise<{ createWritable: () => Promise<WritableStream<Uint8Array>> }>;
}

interface Downloaded {
  id: string;
  filename: string;
  size: number;
}

let isCompanyReader = false;

/** Says whether whoever is signed in reads across the company: contents are then asked for so. */
export function readAcrossCompany(isReader: boolean): void {
  isCompanyReader = isReader;
}

export const scopeQuery = (): Record<string, string> => (isCompanyReader ? { scope: "org" } : {});

function addressOf(id: string, version?: number): string {
  const query = new URLSearchParams({ ...scopeQuery(), ...(version !== undefined && { version: String(version) }) });
  return `/api/repo-obj/${id}/content?${query}`;
}

export async function fetchContent(id: string, version?: number, signal?: AbortSignal): Promise<Response> {
  const response = await authorizedFetch(new Request(addressOf(id, version), signal ? { signal } : {}));
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** The bytes of a version from a place up to another, or to its end. */
export async function fetchPart(id: string, version: number, start: number, end: number, signal?: AbortSignal): Promise<ArrayBuffer> {
  const headers = { Range: `bytes=${start}-${end - 1}` };
  const response = await authorizedFetch(new Request(addressOf(id, version), { headers, ...(signal && { signal }) }));
  if (!response.ok) throw await problemOf(response);
  return response.arrayBuffer();
}

/** Saves a version on the device; where the browser lets us choose the file first, nothing large is held in memory. */
export async function download({ id, filename, size }: Downloaded, version?: number): Promise<void> {
  const { showSaveFilePicker } = window as SaveDialog;
  if (size > MAX_IN_MEMORY && showSaveFilePicker) {
    let file;
    try {
      file = await showSaveFilePicker({ suggestedName: filename });
    } catch {
      return; // They thought better of it.
    }
    const response = await fetchContent(id, version);
    await response.body?.pipeTo(await file.createWritable());
    return;
  }
  // Browsers put a large blob on disk by themselves.
  const blob = await (await fetchContent(id, version)).blob();
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
