/** The content of a version, loaded to be shown. */

import { useQuery } from "@tanstack/react-query";

import { fetchContent } from "../download";

export async function loadText(id: string, version: number): Promise<string> {
  return (await fetchContent(id, version)).text();
}

/** The text of a version; a version never changes, so it is loaded once. */
export function useVersionText(id: string, version: number, enabled = true) {
  return useQuery({
    queryKey: ["file-text", id, version],
    queryFn: () => loadText(id, version),
    staleTime: Infinity,
    gcTime: 60_000,
    enabled,
  });
}

/** The bytes of a version, for what has to be read whole to be shown. */
export function useVersionBytes(id: string, version: number) {
  return useQuery({
    queryKey: ["file-bytes", id, version],
    queryFn: async ({ signal }) => (await fetchContent(id, version, signal)).arrayBuffer(),
    staleTime: Infinity,
    gcTime: 60_000,
  });
}

/** A picture as a `data:` address: what the page's policy lets an image come from. */
export function useVersionImage(id: string, version: number, enabled = true) {
  return useQuery({
    queryKey: ["file-image", id, version],
    queryFn: async () => readAddress(await (await fetchContent(id, version)).blob()),
    staleTime: Infinity,
    gcTime: 60_000,
    enabled,
  });
}

export function readAddress(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
    reader.readAsDataURL(blob);
  });
}
