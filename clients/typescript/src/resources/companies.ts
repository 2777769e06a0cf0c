/** The rows of companies. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type {
  Company2,
  CompanyProvisionReply,
  CompanyQuota,
  CreateCompanyOwner,
  CreatedCompany,
  ListedCompany,
  ListedCompanyPage,
} from "../types/companies.js";

/** The body of `companies.create`. */
export interface CreateCompanyBody {
  /** A hostname, without a port */
  domain?: string;
  name: string;
  owner: CreateCompanyOwner;
  /** free, team or enterprise */
  plan?: string;
  /** A natural key: a taken one is refused; without it a free one is derived */
  slug?: string;
  team?: string;
}

/** The query of `companies.list`. */
export interface ListCompanyQuery {
  /** How many items at the most */
  limit?: number;
}

/** The body of `companies.provision`. */
export interface ProvisionCompanyBody {
  display_name?: string;
  /** A language tag, such as nl-BE */
  locale?: string;
  org?: string;
  /** free, team or enterprise */
  plan?: string;
  team?: string;
  /** Unique on the instance, without case */
  username: string;
}

/** The body of `companies.setQuota`. */
export interface SetQuotaCompanyBody {
  dimension: string;
  /** null lifts the limit */
  limit: number | null;
  window: "minute" | "hour" | "day" | "month" | "none";
}

/** The body of `companies.update`. */
export interface UpdateCompanyBody {
  domain?: string | null;
  name?: string;
  /** free, team or enterprise */
  plan?: string;
}

/** Calls of companies. */
export class Companies {
  constructor(private readonly http: Http) {}

  /**
   * Create a company with its first team and its owner, whose first session is answered.
   * Needs instance:manage.
   */
  create(body: CreateCompanyBody): Promise<CreatedCompany> {
    return this.http.call("POST", "/api/orgs", { body });
  }

  /**
   * A company, by id or slug, with its teams and quotas.
   * Needs instance:manage.
   */
  get(ref: string): Promise<Company2> {
    return this.http.call("GET", `/api/orgs/${segment(ref)}`);
  }

  /**
   * Every company, oldest first.
   * Needs instance:manage.
   */
  list(query: ListCompanyQuery = {}): Pages<ListedCompany, ListedCompanyPage> {
    return new Pages(this.http, "/api/orgs", query);
  }

  /** Give the hosted instance its company and owner, and an activation link for them. Works once. */
  provision(body: ProvisionCompanyBody): Promise<CompanyProvisionReply> {
    return this.http.call("POST", "/api/provision", { body });
  }

  /**
   * Let a company write again.
   * Needs instance:manage.
   */
  resume(ref: string): Promise<ListedCompany> {
    return this.http.call("POST", `/api/orgs/${segment(ref)}/resume`);
  }

  /**
   * Limit what a company may use, its teams together; a limit of null lifts it.
   * Needs instance:manage.
   */
  setQuota(ref: string, body: SetQuotaCompanyBody): Promise<CompanyQuota> {
    return this.http.call("POST", `/api/orgs/${segment(ref)}/quota`, { body });
  }

  /**
   * Suspend a company, by id or slug: its teams can be read, not written.
   * Needs instance:manage.
   */
  suspend(ref: string): Promise<ListedCompany> {
    return this.http.call("POST", `/api/orgs/${segment(ref)}/suspend`);
  }

  /**
   * Rename a company, change its plan, which puts its caps anew, or its hostname.
   * Needs instance:manage.
   */
  update(ref: string, body: UpdateCompanyBody = {}): Promise<ListedCompany> {
    return this.http.call("PATCH", `/api/orgs/${segment(ref)}`, { body });
  }
}
