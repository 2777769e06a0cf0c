/** The rows of company. */

import type { Http } from "../http.js";
import { Download } from "../downloads.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { Brand } from "../types/branding.js";
import type {
  Company3,
  CompanyAuditDays,
  CompanyAuditEvent,
  CompanyAuditEventPage,
  CompanyCreateExecutorReply,
  CompanyCreateMemberReply,
  CompanyEmailDomain,
  CompanyEmailDomainPage,
  CompanyExportReply,
  CompanyResumeMemberReply,
  CompanyResumeMemberReplyPage,
  CompanyScimToken,
  CompanyScimTokenPage,
  CompanyTeam2,
  CompanyTeam2Page,
  CompanyUsage,
  CompanyUsagePage,
} from "../types/company.js";

/** The query of `company.audit`. */
export interface AuditCompanyQuery {
  /** What this user did, by id */
  actor?: string;
  /** Such as token.issued, or the noun alone for all its verbs */
  action?: string;
  /** What was done to this, by its id */
  target?: string;
  /** Words that all stand in what is shown of an event */
  q?: string;
  /** From this time on, RFC 3339 */
  from?: string;
  /** Before this time, RFC 3339 */
  to?: string;
  /** How many items at the most */
  limit?: number;
}

/** The query of `company.auditDays`. */
export interface AuditDaysCompanyQuery {
  /** What this user did, by id */
  actor?: string;
  /** From this time on, RFC 3339 */
  from?: string;
  /** Before this time, RFC 3339 */
  to?: string;
}

/** The body of `company.createExecutor`. */
export interface CreateExecutorCompanyBody {
  capabilities?: string[];
  /** Sent to url as a bearer token; never shown */
  key?: string;
  /** pull: a worker claims jobs; push: work is sent to url */
  mode: "pull" | "push";
  model?: string;
  name: string;
  /** Of an OpenAI-compatible endpoint, with its /v1; /chat/completions is put behind it */
  url?: string;
}

/** The body of `company.createMember`. */
export interface CreateMemberCompanyBody {
  display_name?: string;
  /** A new person is invited by it */
  email?: string;
  org_role?: "org_reader" | "org_admin" | "org_owner";
  password?: string;
  role: "viewer" | "member" | "admin" | "owner" | "translator" | "reviewer" | "localizer" | "worker";
  /** The team's id */
  team: string;
  /** Unique on the instance, without case */
  username: string;
}

/** The body of `company.createTeam`. */
export interface CreateTeamCompanyBody {
  name: string;
}

/** The body of `company.deleteTeam`. */
export interface DeleteTeamCompanyBody {
  /** The id of the team that gets all of it */
  move_to?: string;
}

/** The query of `company.emailDomains`. */
export interface EmailDomainsCompanyQuery {
  /** How many items at the most */
  limit?: number;
}

/** The query of `company.exportDownload`. */
export interface ExportDownloadCompanyQuery {
  token?: string;
}

/** The query of `company.members`. */
export interface MembersCompanyQuery {
  /** How many items at the most */
  limit?: number;
}

/** The query of `company.scimTokens`. */
export interface ScimTokensCompanyQuery {
  /** How many items at the most */
  limit?: number;
}

/** The body of `company.setBranding`. */
export interface SetBrandingCompanyBody {
  logo?: string | null;
  tagline?: string;
  /**
   * Colours as #rrggbb: bg, surface, text, muted, border, accent, on-accent, danger, on-danger, focus, and each with
   * dark- in front; radius: 0 to 24
   */
  theme?: Record<string, unknown>;
  title?: string;
}

/** The body of `company.setBrandingLogo`. */
export interface SetBrandingLogoCompanyBody {
  /** Must be what the data is by its content */
  content_type: "image/png" | "image/jpeg" | "image/webp" | "image/gif" | "image/svg+xml";
  /** The picture in base64, at most 524288 bytes */
  data: string;
}

/** The query of `company.teams`. */
export interface TeamsCompanyQuery {
  /** How many items at the most */
  limit?: number;
}

/** The body of `company.updateMember`. */
export interface UpdateMemberCompanyBody {
  org_role: "org_reader" | "org_admin" | "org_owner" | null;
}

/** The body of `company.updateTeam`. */
export interface UpdateTeamCompanyBody {
  name: string;
}

/** The query of `company.usage`. */
export interface UsageCompanyQuery {
  /** With by: what was used from this time on, RFC 3339 */
  from?: string;
  /** With by: what was used before this time, RFC 3339 */
  to?: string;
  /** How many items at the most */
  limit?: number;
}

/** Calls of company. */
export class Company {
  constructor(private readonly http: Http) {}

  /**
   * The company's audit trail, newest first.
   * Needs org:read.
   */
  audit(query: AuditCompanyQuery = {}): Pages<CompanyAuditEvent, CompanyAuditEventPage> {
    return new Pages(this.http, "/api/org/audit", query);
  }

  /**
   * How many events of the company each day has; the last 30 without from and to, at most 92.
   * Needs org:read.
   */
  auditDays(query: AuditDaysCompanyQuery = {}): Promise<CompanyAuditDays> {
    return this.http.call("GET", "/api/org/audit/days", { query });
  }

  /**
   * The company's branding; what it has not set is the instance's.
   * Needs org:read.
   */
  branding(): Promise<Brand> {
    return this.http.call("GET", "/api/org/branding");
  }

  /**
   * Create an executor bound to the caller's company. Where work is pushed to must be public.
   * Needs org:manage.
   */
  createExecutor(body: CreateExecutorCompanyBody): Promise<CompanyCreateExecutorReply> {
    return this.http.call("POST", "/api/org/executors", { body });
  }

  /**
   * Add a person to a team, with a role in the company too. A new one gets a first session there.
   * Needs org:manage.
   */
  createMember(body: CreateMemberCompanyBody): Promise<CompanyCreateMemberReply> {
    return this.http.call("POST", "/api/org/members", { body });
  }

  /**
   * Create a team; nobody is in it yet.
   * Needs org:manage.
   */
  createTeam(body: CreateTeamCompanyBody): Promise<CompanyTeam2> {
    return this.http.call("POST", "/api/org/teams", { body });
  }

  /**
   * Remove a person from the company and all its teams; what they hold ends at once.
   * Needs org:manage.
   */
  deleteMember(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/org/members/${segment(id)}`);
  }

  /**
   * Revoke the token of a directory.
   * Needs org:manage.
   */
  deleteScimToken(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/org/scim-tokens/${segment(id)}`);
  }

  /**
   * Delete a team that is empty, or whose people and things go to the team of move_to.
   * Needs org:manage.
   */
  deleteTeam(id: string, body: DeleteTeamCompanyBody = {}): Promise<void> {
    return this.http.call("DELETE", `/api/org/teams/${segment(id)}`, { body });
  }

  /**
   * Drop the company's branding, its logo too.
   * Needs org:manage.
   */
  dropBranding(): Promise<void> {
    return this.http.call("DELETE", "/api/org/branding");
  }

  /**
   * The e-mail domains that the company claims by its ways; one contested waits for the operator.
   * Needs org:manage.
   */
  emailDomains(query: EmailDomainsCompanyQuery = {}): Pages<CompanyEmailDomain, CompanyEmailDomainPage> {
    return new Pages(this.http, "/api/org/email-domains", query);
  }

  /**
   * Put all that the company has into a file, as a job whose result is its address, good for 24 hours. Passwords,
   * tokens and secrets are not in it.
   * Needs org:manage.
   */
  export(): Promise<CompanyExportReply> {
    return this.http.call("POST", "/api/org/export");
  }

  /** The file of an export, by the token in its address. */
  exportDownload(query: ExportDownloadCompanyQuery = {}): Download {
    return new Download(this.http, "/api/org/export/download", query);
  }

  /**
   * The caller's company with its teams and quotas.
   * Needs org:read.
   */
  get(): Promise<Company3> {
    return this.http.call("GET", "/api/org");
  }

  /**
   * The company's people with their teams, their role in each, and their role in the company.
   * Needs org:read.
   */
  members(query: MembersCompanyQuery = {}): Pages<CompanyResumeMemberReply, CompanyResumeMemberReplyPage> {
    return new Pages(this.http, "/api/org/members", query);
  }

  /**
   * Let a suspended person in again.
   * Needs org:manage.
   */
  resumeMember(id: string): Promise<CompanyResumeMemberReply> {
    return this.http.call("POST", `/api/org/members/${segment(id)}/resume`);
  }

  /**
   * The tokens of the company's directories, newest first.
   * Needs org:manage.
   */
  scimTokens(query: ScimTokensCompanyQuery = {}): Pages<CompanyScimToken, CompanyScimTokenPage> {
    return new Pages(this.http, "/api/org/scim-tokens", query);
  }

  /**
   * Set the company's branding; fields that are left out stay as they are.
   * Needs org:manage.
   */
  setBranding(body: SetBrandingCompanyBody = {}): Promise<Brand> {
    return this.http.call("PUT", "/api/org/branding", { body });
  }

  /**
   * Upload the company's logo.
   * Needs org:manage.
   */
  setBrandingLogo(body: SetBrandingLogoCompanyBody): Promise<Brand> {
    return this.http.call("POST", "/api/org/branding/logo", { body });
  }

  /**
   * Suspend a person: their credentials answer 403, and what they asked for ends.
   * Needs org:manage.
   */
  suspendMember(id: string): Promise<CompanyResumeMemberReply> {
    return this.http.call("POST", `/api/org/members/${segment(id)}/suspend`);
  }

  /**
   * The teams of the company.
   * Needs org:read.
   */
  teams(query: TeamsCompanyQuery = {}): Pages<CompanyTeam2, CompanyTeam2Page> {
    return new Pages(this.http, "/api/org/teams", query);
  }

  /**
   * Set or clear a person's role in the company; never one's own.
   * Needs org:manage.
   */
  updateMember(id: string, body: UpdateMemberCompanyBody): Promise<CompanyResumeMemberReply> {
    return this.http.call("PATCH", `/api/org/members/${segment(id)}`, { body });
  }

  /**
   * Give a team another name; its slug stays.
   * Needs org:manage.
   */
  updateTeam(id: string, body: UpdateTeamCompanyBody): Promise<CompanyTeam2> {
    return this.http.call("PATCH", `/api/org/teams/${segment(id)}`, { body });
  }

  /**
   * How much each team of the company has used of the models.
   * Needs org:read.
   */
  usage(query: UsageCompanyQuery = {}): Pages<CompanyUsage, CompanyUsagePage> {
    return new Pages(this.http, "/api/org/usage", query);
  }
}
