/** What the API says about company. */

import type { CompanyQuota } from "./companies.js";
import type { ExecutorQuirks } from "./executors.js";

export interface CompanyTeam2 {
  created_at: string;
  id: string;
  name: string;
  slug: string;
}

export interface Company3 {
  created_at: string;
  domain: string | null;
  id: string;
  name: string;
  plan: string;
  quotas: CompanyQuota[];
  slug: string;
  suspended: boolean;
  suspended_at: string | null;
  teams: CompanyTeam2[];
}

export interface CompanyAuditDaysItem {
  /** In UTC */
  day: string;
  events: number;
  /** There are more than are counted */
  more: boolean;
}

export interface CompanyAuditDays {
  items: CompanyAuditDaysItem[];
  next_cursor: string | null;
}

export interface CompanyCreateExecutorReplyHealth {
  checked_at: string | null;
  detail: string | null;
  status: "ok" | "down" | "unknown";
}

export interface CompanyCreateExecutorReply {
  capabilities: string[];
  health: CompanyCreateExecutorReplyHealth;
  id: string;
  mode: "local" | "push" | "pull";
  model: string | null;
  name: string;
  org_id: string | null;
  /** What its endpoint was found not to take; who may see url sees this */
  quirks?: ExecutorQuirks;
  source: "local" | "env" | "api";
  /** For operators, and for who manages the company that it is bound to */
  url?: string;
  /** Of one that pulls; shown here and never again */
  worker_token?: string;
  /** Of one that was made with an API token that ends */
  worker_token_expires_at?: string;
}

export interface CompanyCreateMemberReplyMemberTeam {
  id: string;
  name: string;
  slug: string;
}

export interface CompanyCreateMemberReplyMember {
  display_name: string;
  org_role: string | null;
  role: string;
  team: CompanyCreateMemberReplyMemberTeam;
  user_id: string;
  username: string;
}

export interface CompanyCreateMemberReply {
  member: CompanyCreateMemberReplyMember;
  token: string | null;
}

export interface CompanyExportReplyJob {
  id: string;
}

export interface CompanyExportReply {
  job: CompanyExportReplyJob;
}

export interface CompanyResumeMemberReplyTeam {
  id: string;
  name: string;
  role: string;
  slug: string;
}

export interface CompanyResumeMemberReply {
  created_at: string;
  display_name: string;
  last_seen_at: string | null;
  org_role: string | null;
  status: "active" | "invited" | "suspended";
  teams: CompanyResumeMemberReplyTeam[];
  user_id: string;
  username: string;
}

export interface CompanyAuditEventActor {
  id: string | null;
  name: string;
}

export interface CompanyAuditEventTarget {
  id: string | null;
  type: string | null;
}

export interface CompanyAuditEvent {
  /** noun.verb, such as login.succeeded */
  action: string;
  actor: CompanyAuditEventActor;
  at: string;
  /** from and to, where something was changed */
  detail: Record<string, unknown>;
  id: string;
  request_id: string | null;
  target: CompanyAuditEventTarget;
}

export interface CompanyAuditEventPage {
  items: CompanyAuditEvent[];
  next_cursor: string | null;
}

export interface CompanyEmailDomain {
  claimed_at: string;
  confirmed_at: string | null;
  /** Whether another company's people had addresses there before */
  contested: boolean;
  domain: string;
  released_at: string | null;
  /** The label of the way that claims it */
  way: string;
  way_id: string;
}

export interface CompanyEmailDomainPage {
  items: CompanyEmailDomain[];
  next_cursor: string | null;
}

export interface CompanyResumeMemberReplyPage {
  items: CompanyResumeMemberReply[];
  next_cursor: string | null;
}

export interface CompanyScimTokenUser {
  id: string;
  username: string;
}

export interface CompanyScimToken {
  created_at: string;
  expires_at: string | null;
  id: string;
  last_used_at: string | null;
  name: string | null;
  prefix: string | null;
  user: CompanyScimTokenUser;
}

export interface CompanyScimTokenPage {
  items: CompanyScimToken[];
  next_cursor: string | null;
}

export interface CompanyTeam2Page {
  items: CompanyTeam2[];
  next_cursor: string | null;
}

export interface CompanyUsage {
  by: "team";
  id: string;
  name: string;
  requests: number;
  tokens: number;
}

export interface CompanyUsagePage {
  items: CompanyUsage[];
  next_cursor: string | null;
}
