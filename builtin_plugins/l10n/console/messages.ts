/** The manager's messages: their types, their statuses and how they are asked for. */

import { api, dataOf } from "@guildhall/console/api/client";
import type { paths } from "@guildhall/console/api/schema";

export type Message =
  paths["/api/l10n/messages"]["get"]["responses"]["200"]["content"]["application/json"]["items"][number];
export type Coverage =
  paths["/api/l10n/coverage"]["get"]["responses"]["200"]["content"]["application/json"]["items"][number];
export type Status = Message["status"];

/** In the order in which they want work. */
export const STATUSES = ["missing", "returned", "stale", "machine", "submitted", "approved"] as const satisfies Status[];

export const isStatus = (text: string | undefined): text is Status => STATUSES.some((status) => status === text);

const PAGE = 200;

export interface Wanted {
  locale: string;
  status?: string | undefined;
  ns?: string | undefined;
  q?: string | undefined;
}

/** One page of a language's messages, by key. */
export function loadMessages({ locale, status, ns, q }: Wanted, cursor: { cursor?: string } = {}) {
  const filters = { ...(isStatus(status) && { status }), ...(ns && { ns }), ...(q && { q }) };
  return dataOf(api.GET("/api/l10n/messages", { params: { query: { locale, ...filters, ...cursor, limit: PAGE } } }));
}

/** Every language that was opened; there are few enough to count them all. */
export async function loadCoverage(): Promise<Coverage[]> {
  const all: Coverage[] = [];
  let cursor: string | null = null;
  do {
    const query: { limit: number; cursor?: string } = { limit: PAGE, ...(cursor !== null && { cursor }) };
    const page = await dataOf(api.GET("/api/l10n/coverage", { params: { query } }));
    all.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return all;
}

/** The message with this key, wherever in its language it stands. */
export async function loadMessage(locale: string, key: string): Promise<Message | null> {
  const page = await loadMessages({ locale, q: key });
  return page.items.find((message) => message.key === key) ?? null;
}

/** What names the version that was read, so that nobody's change is lost. */
export const ifMatch = (message: Pick<Message, "version">) => ({ "If-Match": `"${message.version}"` });
