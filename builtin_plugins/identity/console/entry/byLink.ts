/** Signing in by a link of `/login#token=…`: it works once, as its session is ended for one of this page's own. */

import { sessions } from "@guildhall/console/session/store";
import { takeOver } from "./invitation";

/** Leaves the page at home, or where the link was used before at the page that says so; the token leaves the address. */
export default async function signInByLink(token: string): Promise<void> {
  const session = await takeOver(token).catch(() => null);
  history.replaceState(null, "", session ? "/" : "/activate");
  if (session) sessions.begin(session);
}
