/** The rows of quotas. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import type { CompanyQuota } from "../types/companies.js";
import type { QuotaUsage, QuotaUsagePage } from "../types/quotas.js";

/** The body of `quotas.set`. */
export interface SetQuotaBody {
  dimension: string;
  limit: number | null;
  /** Calendar windows in UTC; none for what has no window */
  window: "minute" | "hour" | "day" | "month" | "none";
}

/** The query of `quotas.usage`. */
export interface UsageQuotaQuery {
  /** Who used it, instead of the dimensions */
  by?: "user" | "model" | "token" | "day";
  /** With by: what this person used alone, by id */
  user?: string;
  /** With by: what was used from this time on, RFC 3339 */
  from?: string;
  /** With by: what was used before this time, RFC 3339 */
  to?: string;
  /** How many items at the most */
  limit?: number;
}

/** Calls of quotas. */
export class Quotas {
  constructor(private readonly http: Http) {}

  /**
   * Set or lift a limit of the caller's team.
   * Needs instance:manage.
   */
  set(body: SetQuotaBody): Promise<CompanyQuota> {
    return this.http.call("POST", "/api/quota", { body });
  }

  /** What the team and its company have used of each quota dimension; with by, who used how much. */
  usage(query: UsageQuotaQuery = {}): Pages<CompanyQuota | QuotaUsage, QuotaUsagePage> {
    return new Pages(this.http, "/api/usage", query);
  }
}
