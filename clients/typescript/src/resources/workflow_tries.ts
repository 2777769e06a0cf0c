/** The rows of workflow tries. */

import type { Http } from "../http.js";
import type { CreatedWorkflowTry } from "../types/workflow_tries.js";

/** The body of `workflowTries.create`. */
export interface CreateWorkflowTryBody {
  /** A sample of the run's input */
  input?: Record<string, unknown>;
  /** A sample of a map's item */
  item?: unknown;
  /** Samples of the outputs of steps, by name */
  outputs?: Record<string, unknown>;
  spec: unknown;
  step: string;
}

/** Calls of workflow tries. */
export class WorkflowTries {
  constructor(private readonly http: Http) {}

  /**
   * Try one step of a spec with a sample: what it would be given, and what it would give.
   * Needs workflows:write.
   */
  create(body: CreateWorkflowTryBody): Promise<CreatedWorkflowTry> {
    return this.http.call("POST", "/api/workflow-tries", { body });
  }
}
