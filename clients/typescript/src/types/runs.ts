/** What the API says about runs. */

export interface RunError {
  code: string;
  message: string | null;
  step: string | null;
}

export interface RunStepError {
  code: string;
  message: string | null;
}

export interface RunStepItems {
  cancelled?: number;
  done: number;
  failed: number;
  total: number;
}

export interface RunStep {
  attempt: number;
  error: RunStepError | null;
  finished_at: string | null;
  input: unknown;
  items?: RunStepItems;
  /** One of the kinds of GET /api/workflows/schema */
  kind: string;
  name: string;
  output: unknown;
  started_at: string;
  state: "running" | "waiting" | "succeeded" | "failed" | "cancelled";
}

export interface RunWorkflow {
  slug: string;
  version: number;
}

export interface Run {
  created_at: string;
  created_by: string;
  error: RunError | null;
  finished_at: string | null;
  id: string;
  input: unknown;
  max_steps: number;
  output: unknown;
  retry_of: string | null;
  state: "running" | "succeeded" | "failed" | "cancelled";
  steps: RunStep[];
  steps_used: number;
  trigger_id: string | null;
  workflow: RunWorkflow;
}

export interface RunPage {
  items: Run[];
  next_cursor: string | null;
}
