/** The rows of workflow tests. */

import type { Http } from "../http.js";
import type { CreatedWorkflowTest } from "../types/workflow_tests.js";

/** The body of `workflowTests.create`. */
export interface CreateWorkflowTestBody {
  /** A sample of the run's input */
  input?: Record<string, unknown>;
  /** Outputs that stand for steps, by their names */
  outputs?: Record<string, unknown>;
  spec: unknown;
}

/** Calls of workflow tests. */
export class WorkflowTests {
  constructor(private readonly http: Http) {}

  /**
   * Try a whole spec with a sample: tools that only read are run, nothing is written, sent or asked.
   * Needs workflows:write.
   */
  create(body: CreateWorkflowTestBody): Promise<CreatedWorkflowTest> {
    return this.http.call("POST", "/api/workflow-tests", { body });
  }
}
