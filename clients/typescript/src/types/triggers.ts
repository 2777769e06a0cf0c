/** What the API says about triggers. */

export interface TriggerFire {
  at: string;
  id: string;
  key: string | null;
  object_id: string;
  outcome: "started" | "skipped";
  reason:
    | "no_permission"
    | "derived"
    | "feature_disabled"
    | "quota"
    | "suspended"
    | "workflow_missing"
    | "invalid_input"
    | "loop"
    | "budget"
    | null;
  run_id: string | null;
  version: number;
}

export interface Trigger {
  created_at: string;
  /** The id of whoever created it; a run acts as whoever uploads */
  created_by: string;
  enabled: boolean;
  fire_on_derived: boolean;
  fires: TriggerFire[];
  fires_cursor: string | null;
  id: string;
  input: Record<string, unknown>;
  match_prefix: string;
  match_types: string[];
  updated_at: string;
  workflow_slug: string;
}

export interface ListedTrigger {
  created_at: string;
  /** The id of whoever created it; a run acts as whoever uploads */
  created_by: string;
  enabled: boolean;
  fire_on_derived: boolean;
  id: string;
  input: Record<string, unknown>;
  match_prefix: string;
  match_types: string[];
  updated_at: string;
  workflow_slug: string;
}

export interface ListedTriggerPageBudgetAiRequests {
  limit: number | null;
  remaining: number | null;
  resets_at: string | null;
  used: number;
  window: string;
}

export interface ListedTriggerPageBudget {
  /** The tightest limit of the team and its company; null is none */
  "ai.requests"?: ListedTriggerPageBudgetAiRequests;
  /** The tightest limit of the team and its company; null is none */
  "ai.tokens.total"?: ListedTriggerPageBudgetAiRequests;
}

export interface ListedTriggerPage {
  budget: ListedTriggerPageBudget;
  items: ListedTrigger[];
  next_cursor: string | null;
}

export interface CreatedTriggerWarning {
  message: string;
  pointer: string;
}

export interface CreatedTrigger {
  created_at: string;
  /** The id of whoever created it; a run acts as whoever uploads */
  created_by: string;
  enabled: boolean;
  fire_on_derived: boolean;
  id: string;
  input: Record<string, unknown>;
  match_prefix: string;
  match_types: string[];
  updated_at: string;
  /** What the workflow, as it is now, would refuse of the input: fires would be skipped */
  warnings: CreatedTriggerWarning[];
  workflow_slug: string;
}
