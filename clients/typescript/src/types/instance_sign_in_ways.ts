/** What the API says about instance sign in ways. */

export interface InstanceSignInWayAddresses {
}

export interface InstanceSignInWay {
  /** What the other side wants to know of this server */
  addresses: InstanceSignInWayAddresses;
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

export interface InstanceSignInWayPageKind {
  fields: unknown;
  name: string;
}

export interface InstanceSignInWayPage {
  items: InstanceSignInWay[];
  kinds: InstanceSignInWayPageKind[];
  next_cursor: string | null;
}

export interface CreateInstanceSignInWayRule {
  /** A name, or names with dots between them */
  claim: string;
  /** The value, whole, or one of several */
  contains: string;
  role: "viewer" | "member" | "admin" | "owner" | "translator" | "reviewer" | "localizer";
  team?: string | null;
}

export interface InstanceSignInWayPreviewReplyTeam {
  role: string;
  rule: number | null;
  team: unknown;
}

export interface InstanceSignInWayPreviewReply {
  because: string | null;
  code: string | null;
  email: string | null;
  outcome: "sign_in" | "create" | "link" | "refuse";
  teams: InstanceSignInWayPreviewReplyTeam[];
  user: unknown;
  username: string | null;
}

export interface PreviewInstanceSignInWayClaims {
}

export interface InstanceSignInWayTestReplyStep {
  detail: string;
  name: string;
  ok: boolean;
}

export interface InstanceSignInWayTestReply {
  ok: boolean;
  steps: InstanceSignInWayTestReplyStep[];
}
