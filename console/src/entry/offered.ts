/** The ways in beside a password of one's own here, and why nobody was signed in by one. */

import { callRow } from "@guildhall/console/api/rows";
import { Problem } from "@guildhall/console/api/problem";

export interface Offered {
  id: string;
  kind: string;
  label: string;
  start?: string;
  takes_password: boolean;
}

/** The ways in at this host, or for an address; none where no plugin offers any. */
export async function offeredWays(email: string): Promise<Offered[]> {
  const query = new URLSearchParams({ host: location.host, ...(email && { email }) }).toString();
  try {
    const { items } = (await callRow({ method: "GET", path: `/api/auth/ways?${query}` })) as { items: Offered[] };
    return items.filter(({ start, takes_password: takes }) => Boolean(start) || takes);
  } catch (cause) {
    if (cause instanceof Problem) return [];
    throw cause;
  }
}

/** Takes the word why nobody was signed in out of the address. */
export function takeRefusal(): string | null {
  const error = location.pathname.endsWith("/login") ? new URLSearchParams(location.hash.slice(1)).get("error") : null;
  if (error) history.replaceState(history.state, "", location.pathname);
  return error;
}

/** Why nobody was signed in, as the server would say it. */
export const problemOf = (code: string) => new Problem({ title: "", status: 403, detail: code, code });
