/** What the API says about companies. */

export interface CompanyQuota {
  dimension: string;
  level: "team" | "org";
  limit: number | null;
  remaining: number | null;
  resets_at: string | null;
  used: number;
  window: "minute" | "hour" | "day" | "month" | "none";
}

export interface CompanyTeam {
  created_at: string;
  id: string;
  name: string;
  slug: string;
}

export interface Company2 {
  created_at: string;
  domain: string | null;
  id: string;
  name: string;
  plan: string;
  quotas: CompanyQuota[];
  slug: string;
  suspended: boolean;
  suspended_at: string | null;
  teams: CompanyTeam[];
}

export interface ListedCompany {
  created_at: string;
  domain: string | null;
  id: string;
  name: string;
  plan: string;
  slug: string;
  suspended: boolean;
  suspended_at: string | null;
}

export interface ListedCompanyPage {
  items: ListedCompany[];
  next_cursor: string | null;
}

export interface CreatedCompanyOwner {
  display_name: string;
  id: string;
  locale: string;
  two_factor: boolean;
  username: string;
}

export interface CreatedCompanyTeam {
  id: string;
  name: string;
  role: string;
  slug: string;
}

export interface CreatedCompany {
  expires_at: string;
  org: ListedCompany;
  owner: CreatedCompanyOwner;
  team: CreatedCompanyTeam;
  token: string;
}

export interface CreateCompanyOwner {
  display_name?: string;
  password?: string;
  /** Unique on the instance, without case */
  username: string;
}

export interface CompanyProvisionReplyActivation {
  expires_at: string;
  token: string;
  url: string;
}

export interface CompanyProvisionReply {
  activation: CompanyProvisionReplyActivation;
  org: ListedCompany;
  team: CreatedCompanyTeam;
  user: CreatedCompanyOwner;
}
