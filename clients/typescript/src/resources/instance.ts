/** The rows of instance. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type {
  InstanceBackups,
  InstanceConfig,
  InstanceEmailDomain,
  InstanceEmailDomainPage,
  InstanceExplain,
  InstanceHealth,
  InstanceHealthMachine,
  InstanceMail,
  InstanceMailPage,
  InstanceMetrics,
  InstanceReady,
  InstanceSeedReply,
  InstanceSeedTenantsReply,
  InstanceSeededTenants,
  InstanceStatus,
} from "../types/instance.js";

/** The query of `instance.emailDomains`. */
export interface EmailDomainsInstanceQuery {
  /** How many items at the most */
  limit?: number;
}

/** The query of `instance.explain`. */
export interface ExplainInstanceQuery {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
  path?: string;
  user?: string;
  /** A dimension that is looked at too, where others than the row's plugin count it */
  limit?: string;
  team?: string;
}

/** The query of `instance.mails`. */
export interface MailsInstanceQuery {
  /** How many items at the most */
  limit?: number;
  state?: "waiting" | "sent" | "refused" | "failed" | "expired" | "held_back";
}

/** The body of `instance.setEmailDomain`. */
export interface SetEmailDomainInstanceBody {
  org_id: string;
}

/** Calls of instance. */
export class Instance {
  constructor(private readonly http: Http) {}

  /**
   * How backups are made on the schedule, and how old the last one is.
   * Needs instance:manage.
   */
  backups(): Promise<InstanceBackups> {
    return this.http.call("GET", "/api/admin/backups");
  }

  /** Public configuration of the instance. */
  config(): Promise<InstanceConfig> {
    return this.http.call("GET", "/api/config");
  }

  /**
   * Take a domain from the company that claims it.
   * Needs instance:manage.
   */
  deleteEmailDomain(domain: string): Promise<void> {
    return this.http.call("DELETE", `/api/admin/email-domains/${segment(domain)}`);
  }

  /**
   * The e-mail domains that companies claim; contested are those that another company's people use too.
   * Needs instance:manage.
   */
  emailDomains(query: EmailDomainsInstanceQuery = {}): Pages<InstanceEmailDomain, InstanceEmailDomainPage> {
    return new Pages(this.http, "/api/admin/email-domains", query);
  }

  /**
   * Why somebody may send a request or may not: what each gate says, and who could change it.
   * Needs members:manage.
   */
  explain(query: ExplainInstanceQuery = {}): Promise<InstanceExplain> {
    return this.http.call("GET", "/api/explain", { query });
  }

  /** Whether the server is up. */
  health(): Promise<InstanceHealth> {
    return this.http.call("GET", "/health");
  }

  /** The same for `guildhall top`, by a pass that the server's own key seals and no token. */
  healthMachine(): Promise<InstanceHealthMachine> {
    return this.http.call("GET", "/api/admin/health/machine");
  }

  /**
   * What was mailed, newest first, and why not; never what a mail says.
   * Needs instance:manage.
   */
  mails(query: MailsInstanceQuery = {}): Pages<InstanceMail, InstanceMailPage> {
    return new Pages(this.http, "/api/admin/mails", query);
  }

  /**
   * Operational metrics: JSON, or Prometheus text for who accepts text/plain.
   * Needs instance:manage.
   */
  metrics(): Promise<InstanceMetrics> {
    return this.http.call("GET", "/api/metrics");
  }

  /** Whether the server can do its work now: not while it starts or stops, nor without database or disk. */
  ready(): Promise<InstanceReady> {
    return this.http.call("GET", "/ready");
  }

  /**
   * Give the caller's team sample content; what it has already is left as it is.
   * Needs settings:manage.
   */
  seed(): Promise<Record<string, InstanceSeedReply>> {
    return this.http.call("POST", "/api/admin/seed");
  }

  /**
   * Put up two demo companies whose passwords everybody knows; only with SERVICE_DEMO.
   * Needs instance:manage.
   */
  seedTenants(): Promise<InstanceSeedTenantsReply> {
    return this.http.call("POST", "/api/admin/seed-tenants");
  }

  /**
   * Whether demo companies may be made here.
   * Needs instance:manage.
   */
  seededTenants(): Promise<InstanceSeededTenants> {
    return this.http.call("GET", "/api/admin/seed-tenants");
  }

  /**
   * Confirm that a domain is the company's that claims it.
   * Needs instance:manage.
   */
  setEmailDomain(domain: string, body: SetEmailDomainInstanceBody): Promise<void> {
    return this.http.call("PUT", `/api/admin/email-domains/${segment(domain)}`, { body });
  }

  /**
   * How the server is now: requests, jobs, streams, slow statements, busy companies.
   * Needs instance:manage.
   */
  state(): Promise<InstanceHealthMachine> {
    return this.http.call("GET", "/api/admin/health");
  }

  /**
   * The state of the instance and how much it holds; of much as it was counted `Age` seconds ago.
   * Needs instance:manage.
   */
  status(): Promise<InstanceStatus> {
    return this.http.call("GET", "/api/admin/status");
  }
}
