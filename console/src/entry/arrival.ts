/** How one comes back to the page to sign in: with a session of another way than the password, or the word why not. */

import { callRow } from "@guildhall/console/api/rows";
import { Problem } from "@guildhall/console/api/problem";

export interface Offered {
  id: string;
  kind: string;
  label: string;
  start?: string;
  takes_password: boolean;
}

const BEGUN = "guildhall.began";

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

/** Goes to another server to sign in there; this tab knows that it did when it comes back. */
export function goTo(start: string): void {
  sessionStorage.setItem(BEGUN, "1");
  location.assign(start);
}

export interface Arrival {
  token: string | null;
  error: string | null;
  /** Whether this tab went away to sign in: a link that somebody sent would have it sign in as them. */
  isOwn: boolean;
}

/** Reads what stands behind the `#`, once, and takes it out of the address. */
export function takeArrival(): Arrival {
  const said = new URLSearchParams(location.hash.slice(1));
  const token = location.pathname.endsWith("/login") ? said.get("token") : null;
  const error = location.pathname.endsWith("/login") ? said.get("error") : null;
  const isOwn = sessionStorage.getItem(BEGUN) !== null;
  if (token || error) {
    sessionStorage.removeItem(BEGUN);
    history.replaceState(history.state, "", location.pathname);
  }
  return { token, error, isOwn };
}

/** Why nobody was signed in, as the server would say it. */
export const problemOfArrival = (code: string) => new Problem({ title: "", status: 403, detail: code, code });
