/** Conversations in the storage of this device, a key each; a device that stores nothing is no fault. */

import type { Conversation } from "./conversation";

export function readConversations(prefix: string): Conversation[] {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix));
    return keys.map((key) => parseConversation(localStorage.getItem(key))).filter((found) => found !== null);
  } catch {
    return [];
  }
}

export function readConversation(key: string): Conversation | null {
  try {
    return parseConversation(localStorage.getItem(key));
  } catch {
    return null;
  }
}

export function parseConversation(text: string | null): Conversation | null {
  try {
    const stored: unknown = JSON.parse(text ?? "null");
    return isConversation(stored) ? stored : null;
  } catch {
    return null;
  }
}

function isConversation(value: unknown): value is Conversation {
  const found = value as Conversation | null;
  return typeof found?.id === "string" && typeof found.title === "string" && Array.isArray(found.turns);
}

export function writeConversation(key: string, conversation: Conversation): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(conversation));
    return true;
  } catch {
    return false;
  }
}

export function forgetConversation(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing was kept, then.
  }
}
