/** The rows of tenant. */

import type { Http } from "../http.js";
import type { CompanyQuota } from "../types/companies.js";
import type { TenantResumeReply } from "../types/tenant.js";

/** The body of `tenant.setQuota`. */
export interface SetQuotaTenantBody {
  dimension: string;
  /** null lifts the limit */
  limit: number | null;
  window: "minute" | "hour" | "day" | "month" | "none";
}

/** Calls of tenant. */
export class Tenant {
  constructor(private readonly http: Http) {}

  /** Let the tenant write again. */
  resume(): Promise<TenantResumeReply> {
    return this.http.call("POST", "/api/instance/resume");
  }

  /** Limit what the tenant's team may use; a limit of null lifts it. */
  setQuota(body: SetQuotaTenantBody): Promise<CompanyQuota> {
    return this.http.call("POST", "/api/instance/quota", { body });
  }

  /** Suspend the tenant: it can be read, not written. */
  suspend(): Promise<TenantResumeReply> {
    return this.http.call("POST", "/api/instance/suspend");
  }
}
