/** What the API says about workflow templates. */

export interface WorkflowTemplateItem {
  description: string;
  name: string;
  slug: string;
  /** As GET /api/workflows/schema says */
  spec: Record<string, unknown>;
}

export interface WorkflowTemplate {
  items: WorkflowTemplateItem[];
  next_cursor: string | null;
}

export interface WorkflowTemplateUseReplyInputs {
  default?: unknown;
  required?: boolean;
  type: string;
}

export interface WorkflowTemplateUseReplyWarning {
  message: string;
  /** Where in the spec */
  pointer: string;
}

export interface WorkflowTemplateUseReply {
  created_at: string;
  /** Whether runs of it can be started */
  enabled: boolean;
  id: string;
  inputs: Record<string, WorkflowTemplateUseReplyInputs>;
  max_steps: number;
  name: string;
  published_by: string | null;
  slug: string;
  source: string | null;
  /** As GET /api/workflows/schema says */
  spec: Record<string, unknown>;
  version: number;
  warnings: WorkflowTemplateUseReplyWarning[];
}
