/** Pictures and fonts from this device, as the API takes them. */

export const MAX_BYTES = 2 * 1024 * 1024;

const TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml", "font/woff2", "font/woff"] as const;
export type AssetType = (typeof TYPES)[number];

/** Some systems do not know fonts by type; their names do. The server judges by content. */
export function typeOf(file: Pick<File, "type" | "name">): AssetType {
  const known = TYPES.find((type) => type === file.type);
  if (known) return known;
  return file.name.toLowerCase().endsWith(".woff") ? "font/woff" : file.name.toLowerCase().endsWith(".woff2") ? "font/woff2" : "image/png";
}

const AT_ONCE = 0x8000;

export async function inBase64(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += AT_ONCE) text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  return btoa(text);
}
