/** The rows of workflow templates. */

import type { Http } from "../http.js";
import { segment } from "../sending.js";
import type { WorkflowTemplate, WorkflowTemplateUseReply } from "../types/workflow_templates.js";

/** The body of `workflowTemplates.use`. */
export interface UseWorkflowTemplateBody {
  slug?: string;
}

/** Calls of workflow templates. */
export class WorkflowTemplates {
  constructor(private readonly http: Http) {}

  /**
   * Workflows to begin with, shipped as data.
   * Needs workflows:read.
   */
  get(): Promise<WorkflowTemplate> {
    return this.http.call("GET", "/api/workflow-templates");
  }

  /**
   * Publish a template as a workflow of the team; one whose slug is taken gets a number.
   * Needs workflows:write.
   */
  use(slug: string, body: UseWorkflowTemplateBody = {}): Promise<WorkflowTemplateUseReply> {
    return this.http.call("POST", `/api/workflow-templates/${segment(slug)}/use`, { body });
  }
}
