/** The rows of approvals. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { Approval, ApprovalPage, ApprovalSetReply } from "../types/approvals.js";

/** The query of `approvals.list`. */
export interface ListApprovalQuery {
  /** How many items at the most */
  limit?: number;
  /** What waits for the caller alone */
  mine?: "1";
}

/** The body of `approvals.set`. */
export interface SetApprovalBody {
  comment?: string;
  decision: "approve" | "reject";
  /** What the form asks for */
  form?: unknown;
}

/** Calls of approvals. */
export class Approvals {
  constructor(private readonly http: Http) {}

  /**
   * What waits for the caller's decision, and what the caller's own runs wait for; newest first.
   * Needs workflows:read.
   */
  list(query: ListApprovalQuery = {}): Pages<Approval, ApprovalPage> {
    return new Pages(this.http, "/api/approvals", query);
  }

  /**
   * Decide; the run goes on at once, and nobody can decide again.
   * Needs workflows:run.
   */
  set(id: string, body: SetApprovalBody): Promise<ApprovalSetReply> {
    return this.http.call("POST", `/api/approvals/${segment(id)}`, { body });
  }
}
