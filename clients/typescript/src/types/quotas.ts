/** What the API says about quotas. */

import type { CompanyQuota } from "./companies.js";

export interface QuotaUsage {
  /** Who used it, instead of the dimensions */
  by: "user" | "model" | "token" | "day";
  id: string;
  name: string;
  requests: number;
  tokens: number;
}

export interface QuotaUsagePage {
  items: (CompanyQuota | QuotaUsage)[];
  next_cursor: string | null;
}
