/** A picture from this device as the API takes it. */

export interface LogoUpload {
  content_type: "image/png" | "image/jpeg" | "image/webp" | "image/gif" | "image/svg+xml";
  data: string;
}

export const LOGO_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml"] as const;
export const MAX_LOGO_BYTES = 512 * 1024;

export async function logoUpload(file: File): Promise<LogoUpload> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return { content_type: file.type as LogoUpload["content_type"], data: btoa(text) };
}
