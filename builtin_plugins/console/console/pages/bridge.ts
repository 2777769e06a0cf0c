/** The calls of a frame, made as whoever looks at it; the frame gets the answer and never the bearer. */

import { authorizedFetch } from "@guildhall/console/api/client";
import { pathOf, type FrameAnswer, type FrameCall, type RowPattern } from "./frameCalls";
import { requestOf } from "@guildhall/console/api/rows";

const MAX_SENT = 256 * 1024;
const MAX_TAKEN = 1024 * 1024;
export const MAX_AT_ONCE = 8;

const refusal = (status: number, code: string, detail: string) => ({ status, body: { status, code, detail } });

/** Calls the row and answers with its status and its JSON; no header of ours goes back to the frame. */
export async function answerCall(plugin: string, rows: readonly RowPattern[], call: FrameCall): Promise<FrameAnswer> {
  return { type: "answer", id: call.id, ...(await answerOf(plugin, rows, call)) };
}

async function answerOf(plugin: string, rows: readonly RowPattern[], { method, path: given, body }: FrameCall) {
  const path = pathOf(plugin, rows, method, given);
  if (path === null) return refusal(404, "not_found", "This is none of the plugin's own rows.");
  const size = sizeOf(body);
  if (size === null) return refusal(400, "invalid_request", "The body is no JSON.");
  if (size > MAX_SENT) return refusal(413, "too_large", "A call takes at most 256 KiB.");
  try {
    const sent = method === "GET" || method === "DELETE" ? undefined : body;
    const response = await authorizedFetch(requestOf({ method, path, body: sent }));
    return { status: response.status, body: await boundedJson(response) };
  } catch {
    return refusal(0, "unreachable", "The server did not answer.");
  }
}

/** Null for what a message can carry and JSON cannot: what leads back to itself, and integers without end. */
function sizeOf(body: unknown): number | null {
  try {
    return (JSON.stringify(body) ?? "").length;
  } catch {
    return null;
  }
}

/** The JSON of an answer of bounded size; a stream that never ends is hung up. */
async function boundedJson(response: Response): Promise<unknown> {
  const reader = response.body?.getReader();
  if (!reader || !(response.headers.get("Content-Type") ?? "").includes("json")) {
    await reader?.cancel();
    return null;
  }
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength;
    if (size > MAX_TAKEN) {
      await reader.cancel();
      throw new Error("the answer is too large for a frame");
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text === "" ? null : JSON.parse(text + decoder.decode());
}
