/** What the API says about workflows. */

export interface WorkflowInputs {
  default?: unknown;
  required?: boolean;
  type: string;
}

export interface WorkflowWarning {
  message: string;
  /** Where in the spec */
  pointer: string;
}

export interface Workflow {
  created_at: string;
  /** Whether runs of it can be started */
  enabled: boolean;
  id: string;
  inputs: Record<string, WorkflowInputs>;
  max_steps: number;
  name: string;
  published_by: string | null;
  slug: string;
  source: string | null;
  /** As GET /api/workflows/schema says */
  spec: Record<string, unknown>;
  version: number;
  warnings: WorkflowWarning[];
}

export interface ListedWorkflow {
  created_at: string;
  /** Whether runs of it can be started */
  enabled: boolean;
  id: string;
  inputs: Record<string, WorkflowInputs>;
  max_steps: number;
  name: string;
  published_by: string | null;
  slug: string;
  source: string | null;
  version: number;
}

export interface ListedWorkflowPage {
  items: ListedWorkflow[];
  next_cursor: string | null;
}

export interface WorkflowRunReplyError {
  code: string;
  message: string | null;
  step: string | null;
}

export interface WorkflowRunReplyStepError {
  code: string;
  message: string | null;
}

export interface WorkflowRunReplyStepItems {
  cancelled?: number;
  done: number;
  failed: number;
  total: number;
}

export interface WorkflowRunReplyStep {
  attempt: number;
  error: WorkflowRunReplyStepError | null;
  finished_at: string | null;
  input: unknown;
  items?: WorkflowRunReplyStepItems;
  /** One of the kinds of GET /api/workflows/schema */
  kind: string;
  name: string;
  output: unknown;
  started_at: string;
  state: "running" | "waiting" | "succeeded" | "failed" | "cancelled";
}

export interface WorkflowRunReplyWorkflow {
  slug: string;
  version: number;
}

export interface WorkflowRunReply {
  created_at: string;
  created_by: string;
  error: WorkflowRunReplyError | null;
  finished_at: string | null;
  id: string;
  input: unknown;
  max_steps: number;
  output: unknown;
  retry_of: string | null;
  state: "running" | "succeeded" | "failed" | "cancelled";
  steps: WorkflowRunReplyStep[];
  steps_used: number;
  trigger_id: string | null;
  workflow: WorkflowRunReplyWorkflow;
}

export interface WorkflowSchemaPredicate {
  doc: string;
  operands: number;
  predicate: string;
}

export interface WorkflowSchemaReference {
  doc: string;
  reference: string;
}

export interface WorkflowSchemaStepKind {
  doc: string;
  kind: string;
  output: string | null;
}

export interface WorkflowSchema {
  input_types: string[];
  limits: Record<string, number>;
  predicates: WorkflowSchemaPredicate[];
  references: WorkflowSchemaReference[];
  /** JSON Schema 2020-12 */
  schema: Record<string, unknown>;
  step_kinds: WorkflowSchemaStepKind[];
  version: number;
}
