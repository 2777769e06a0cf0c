/** What the API says about executors. */

export interface ExecutorHealth {
  checked_at: string | null;
  detail: string | null;
  status: "ok" | "down" | "unknown";
}

export interface ExecutorQuirks {
  max_completion_tokens?: boolean;
  no_json_object?: boolean;
  no_json_schema?: boolean;
  no_stream_options?: boolean;
  no_temperature?: boolean;
}

export interface Executor {
  capabilities: string[];
  health: ExecutorHealth;
  id: string;
  mode: "local" | "push" | "pull";
  model: string | null;
  name: string;
  org_id: string | null;
  /** What its endpoint was found not to take; who may see url sees this */
  quirks?: ExecutorQuirks;
  source: "local" | "env" | "api";
  /** For operators, and for who manages the company that it is bound to */
  url?: string;
}

export interface ExecutorPage {
  items: Executor[];
  next_cursor: string | null;
}

export interface CreatedExecutor {
  capabilities: string[];
  health: ExecutorHealth;
  id: string;
  mode: "local" | "push" | "pull";
  model: string | null;
  name: string;
  org_id: string | null;
  /** What its endpoint was found not to take; who may see url sees this */
  quirks?: ExecutorQuirks;
  source: "local" | "env" | "api";
  /** For operators, and for who manages the company that it is bound to */
  url?: string;
  /** Of one that pulls; shown here and never again */
  worker_token?: string;
  /** Of one that was made with an API token that ends */
  worker_token_expires_at?: string;
}

export interface ExecutorProbeReplyTurn {
  detail: string | null;
  ok: boolean;
}

export interface ExecutorProbeReply {
  health: ExecutorHealth;
  /** What its endpoint was found not to take; who may see url sees this */
  quirks: ExecutorQuirks;
  turn: ExecutorProbeReplyTurn | null;
}
