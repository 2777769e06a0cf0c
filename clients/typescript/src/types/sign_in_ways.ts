/** What the API says about sign in ways. */

export interface SignInWayAddresses {
}

export interface SignInWay {
  /** What the other side wants to know of this server */
  addresses: SignInWayAddresses;
  break_glass: string[];
  create_people: boolean;
  created_at: string;
  default_role: string | null;
  domains: string[];
  id: string;
  kind: string;
  label: string;
  required: boolean;
  rules: unknown[];
  /** Secrets that are there; none is ever shown */
  secrets_set: string[];
  team: string | null;
}

export interface SignInWayPageKind {
  fields: unknown;
  name: string;
}

export interface SignInWayPage {
  items: SignInWay[];
  kinds: SignInWayPageKind[];
  next_cursor: string | null;
}

export interface CreateSignInWayRule {
  /** A name, or names with dots between them */
  claim: string;
  /** The value, whole, or one of several */
  contains: string;
  role: "viewer" | "member" | "admin" | "owner" | "translator" | "reviewer" | "localizer";
  team?: string | null;
}

export interface SignInWayPreviewReplyTeam {
  role: string;
  rule: number | null;
  team: unknown;
}

export interface SignInWayPreviewReply {
  because: string | null;
  code: string | null;
  email: string | null;
  outcome: "sign_in" | "create" | "link" | "refuse";
  teams: SignInWayPreviewReplyTeam[];
  user: unknown;
  username: string | null;
}

export interface PreviewSignInWayClaims {
}

export interface SignInWayTestReplyStep {
  detail: string;
  name: string;
  ok: boolean;
}

export interface SignInWayTestReply {
  ok: boolean;
  steps: SignInWayTestReplyStep[];
}
