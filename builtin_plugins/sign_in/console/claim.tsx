/** Claims of e-mail domains, as their rows have them. */

import { useText } from "@guildhall/console/i18n/texts";
import { StateMark } from "@guildhall/console/ui/StateMark";

export interface Claim {
  domain: string;
  way_id: string;
  contested: boolean;
  claimed_at: string;
  confirmed_at: string | null;
  /** Said to the company: when an operator took it. */
  released_at?: string | null;
}

export interface ClaimPage<Of extends Claim> {
  items: Of[];
  next_cursor: string | null;
}

export const idOf = ({ domain, way_id: way }: Claim) => `${domain} ${way}`;

/** Whether the page to sign in leads here by a domain, or waits for an operator's word. */
export function ClaimState({ claim: { contested, confirmed_at: confirmed, released_at: released } }: { claim: Claim }) {
  const t = useText();
  if (released) return <StateMark state="cancelled" text={t("signin.claim_released")} />;
  if (confirmed) return <StateMark state="on" text={t("signin.claim_confirmed")} />;
  return <StateMark state={contested ? "suspended" : "on"} text={t(contested ? "signin.claim_contested" : "signin.claim_leads")} />;
}
