/** Which roles in the company somebody may give, as the server judges it. */

import type { Identity } from "@guildhall/console/session/identity";

export const NO_ROLE = "none";
const OWNER = "org_owner";

/** Only an owner of the company makes owners. */
export function appointable({ org_role }: Pick<Identity, "org_role">): string[] {
  return ["org_reader", "org_admin", ...(org_role === OWNER ? [OWNER] : [])];
}

/** Whether they may change who has this role now. */
export function mayAppoint({ org_role }: Pick<Identity, "org_role">, before: string | null): boolean {
  return before !== OWNER || org_role === OWNER;
}
