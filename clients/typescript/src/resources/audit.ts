/** The rows of audit. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import type { AuditEvent, AuditEventDays, AuditEventPage } from "../types/audit.js";

/** The query of `audit.days`. */
export interface DaysAuditEventQuery {
  /** What this user did, by id */
  actor?: string;
  /** From this time on, RFC 3339 */
  from?: string;
  /** Before this time, RFC 3339 */
  to?: string;
}

/** The query of `audit.list`. */
export interface ListAuditEventQuery {
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

/** Calls of audit. */
export class Audit {
  constructor(private readonly http: Http) {}

  /**
   * How many events of the team each day has; the last 30 without from and to, at most 92.
   * Needs settings:manage.
   */
  days(query: DaysAuditEventQuery = {}): Promise<AuditEventDays> {
    return this.http.call("GET", "/api/audit/days", { query });
  }

  /**
   * The team's audit trail, newest first.
   * Needs settings:manage.
   */
  list(query: ListAuditEventQuery = {}): Pages<AuditEvent, AuditEventPage> {
    return new Pages(this.http, "/api/audit", query);
  }
}
