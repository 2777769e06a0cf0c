/** Conversations that an earlier version kept in the storage of this device, and nowhere else. */

const PREFIX = "guildhall.chat.";

interface Kept {
  title: string;
  turns: readonly { prompt: string; parts: readonly { kind: string; text?: string }[] }[];
}

export interface DeviceConversation {
  key: string;
  title: string;
  messages: { role: "user" | "assistant"; text: string }[];
}

const LONGEST = 100_000;
const MAX_MESSAGES = 2_000;

/** Those of somebody in a team; what cannot be read is left where it is. */
export function deviceConversations(owner: string, storage: Pick<Storage, "getItem" | "key" | "length"> = localStorage): DeviceConversation[] {
  const found: DeviceConversation[] = [];
  try {
    for (let at = 0; at < storage.length; at += 1) {
      const key = storage.key(at);
      if (!key?.startsWith(`${PREFIX}${owner}.`)) continue;
      const conversation = parse(key, storage.getItem(key));
      if (conversation) found.push(conversation);
    }
  } catch {
    // A device that stores nothing has none.
  }
  return found;
}

export function forgetOnDevice(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing was kept, then.
  }
}

function parse(key: string, text: string | null): DeviceConversation | null {
  try {
    const kept = JSON.parse(text ?? "null") as Kept | null;
    if (!kept || typeof kept.title !== "string" || !Array.isArray(kept.turns)) return null;
    const messages = kept.turns.flatMap(({ prompt, parts }) => {
      const last = parts.at(-1);
      const answer = last?.kind === "text" ? (last.text ?? "") : "";
      const said = [{ role: "user" as const, text: prompt.slice(0, LONGEST) }];
      return answer.trim() ? [...said, { role: "assistant" as const, text: answer.slice(0, LONGEST) }] : said;
    });
    const spoken = messages.filter(({ text: words }) => words.trim() !== "").slice(0, MAX_MESSAGES);
    return spoken.length ? { key, title: kept.title.slice(0, 200), messages: spoken } : null;
  } catch {
    return null;
  }
}
