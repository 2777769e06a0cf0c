/** The rows of workflow checks. */

import type { Http } from "../http.js";
import type { CreatedWorkflowCheck } from "../types/workflow_checks.js";

/** The body of `workflowChecks.create`. */
export interface CreateWorkflowCheckBody {
  spec: unknown;
}

/** Calls of workflow checks. */
export class WorkflowChecks {
  constructor(private readonly http: Http) {}

  /**
   * What would be refused of a spec, and what to know before it is run; nothing is published.
   * Needs workflows:write.
   */
  create(body: CreateWorkflowCheckBody): Promise<CreatedWorkflowCheck> {
    return this.http.call("POST", "/api/workflow-checks", { body });
  }
}
