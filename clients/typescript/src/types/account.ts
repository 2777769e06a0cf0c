/** What the API says about account. */

import type { CreatedCompanyOwner } from "./companies.js";

export interface Account2 {
  display_name: string;
  email?: string | null;
  email_pending?: string | null;
  /** A mailed link came back from it, or who manages gave it */
  email_proven?: boolean;
  id: string;
  locale: string;
  two_factor: boolean;
  username: string;
}

export interface AccountActivateReply {
  expires_at: string | null;
  token: string | null;
  user: CreatedCompanyOwner;
}

export interface AccountBootstrapReplyOrg {
  id: string;
  name: string;
  slug: string;
}

export interface AccountBootstrapReplyTeam {
  id: string;
  name: string;
  role: string;
}

export interface AccountBootstrapReply {
  expires_at: string;
  org: AccountBootstrapReplyOrg;
  team: AccountBootstrapReplyTeam;
  token: string;
  user: CreatedCompanyOwner;
}

export interface AccountChangeTeamReply {
  expires_at: string;
  team: AccountBootstrapReplyTeam;
  token: string;
  user: CreatedCompanyOwner;
}

export interface ConfirmAccountPasskey {
}

export interface AccountForgotReply {
}

export interface AccountWhoamiCredential {
  kind: string;
  scope: string[] | null;
}

export interface AccountWhoamiOrg {
  id: string;
  name: string;
  slug: string;
  suspended: boolean;
}

export interface AccountWhoami {
  credential: AccountWhoamiCredential;
  locale: string;
  operator: boolean;
  org: AccountWhoamiOrg;
  org_role: string | null;
  permissions: string[];
  team: AccountBootstrapReplyTeam;
  teams: AccountBootstrapReplyTeam[];
  user: CreatedCompanyOwner;
}
