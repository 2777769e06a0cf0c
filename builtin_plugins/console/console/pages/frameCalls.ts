/** What a frame may ask for: calls of its own plugin's rows, and nothing else. */

export interface RowPattern {
  method: string;
  path: string;
}

export interface FrameCall {
  type: "call";
  id: number;
  method: string;
  path: string;
  body?: unknown;
}

export interface FrameAnswer {
  type: "answer";
  id: number;
  status: number;
  body: unknown;
}

const MAX_PATH = 2048;
// Rows of the server itself that stand below every plugin's prefix.
const RESERVED = ["bundle", "ticket"];

/** A message as a call, or null: whatever a frame sends is data of a stranger. */
export function callOf(data: unknown): FrameCall | null {
  const call = data as Partial<FrameCall> | null;
  if (typeof call !== "object" || call === null || call.type !== "call") return null;
  if (typeof call.id !== "number" || typeof call.method !== "string" || typeof call.path !== "string") return null;
  return { type: "call", id: call.id, method: call.method, path: call.path, body: call.body };
}

/** The path to call, or null unless it plainly is one of the plugin's rows. */
export function pathOf(plugin: string, rows: readonly RowPattern[], method: string, given: string): string | null {
  if (given.length > MAX_PATH || !given.startsWith("/") || /[\\#\s]|[^\x21-\x7e]/.test(given)) return null;
  const own = `/api/x/${plugin}`;
  const whole = given.startsWith("/api/") ? given : own + given;
  const [path = "", ...query] = whole.split("?");
  if (new URL(whole, "http://hall.invalid").pathname !== path) return null;
  const segments = path.slice(1).split("/");
  if (!segments.every(isPlain)) return null;
  if (path.startsWith(`${own}/`) && RESERVED.includes(segments[3] ?? "")) return null;
  if (!rows.some((row) => row.method === method && matches(row.path, segments))) return null;
  return query.length > 0 ? `${path}?${query.join("?")}` : path;
}

function isPlain(segment: string): boolean {
  try {
    const decoded = decodeURIComponent(segment);
    return decoded !== "" && decoded !== "." && decoded !== ".." && !/[/\\\0]/.test(decoded);
  } catch {
    return false;
  }
}

function matches(pattern: string, segments: readonly string[]): boolean {
  const parts = pattern.slice(1).split("/");
  const rest = parts.findIndex((part) => part.startsWith("*"));
  if (rest === -1 ? parts.length !== segments.length : segments.length <= rest) return false;
  const compared = rest === -1 ? parts : parts.slice(0, rest);
  return compared.every((part, position) => part.startsWith(":") || part === segments[position]);
}
