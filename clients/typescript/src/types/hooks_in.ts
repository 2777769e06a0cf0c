/** What the API says about hooks in. */

export interface HooksInOwner {
  id: string;
  name: string | null;
}

export interface HooksInStopped {
  at: string;
  code: string;
  message: string;
}

export interface HooksIn2 {
  created_at: string;
  enabled: boolean;
  id: string;
  last_at: string | null;
  /** The person whom it acts as */
  owner: HooksInOwner;
  schema: Record<string, unknown> | null;
  scheme: "standard" | "github" | "stripe" | "slack" | "none";
  stopped: HooksInStopped | null;
  updated_at: string;
  /** Where to send messages, by POST */
  url: string;
  wait_seconds: number;
  workflow_slug: string;
}

export interface HooksIn2Page {
  items: HooksIn2[];
  next_cursor: string | null;
}

export interface CreatedHooksIn {
  created_at: string;
  enabled: boolean;
  id: string;
  last_at: string | null;
  /** The person whom it acts as */
  owner: HooksInOwner;
  schema: Record<string, unknown> | null;
  scheme: "standard" | "github" | "stripe" | "slack" | "none";
  secret: string | null;
  stopped: HooksInStopped | null;
  updated_at: string;
  /** Where to send messages, by POST */
  url: string;
  wait_seconds: number;
  workflow_slug: string;
}

export interface HooksInDelivery {
  body: string | null;
  created_at: string;
  delivery_key: string | null;
  error: string | null;
  id: string;
  replay_of: string | null;
  run_id: string | null;
  size: number;
  state: "started" | "refused";
}

export interface HooksInReplayDeliveryReply {
  delivery_id: string;
  run_id: string;
}

export interface HooksInUpdateReply {
  created_at: string;
  enabled: boolean;
  id: string;
  last_at: string | null;
  /** The person whom it acts as */
  owner: HooksInOwner;
  schema: Record<string, unknown> | null;
  scheme: "standard" | "github" | "stripe" | "slack" | "none";
  /** Shown here and never again */
  secret?: string;
  stopped: HooksInStopped | null;
  updated_at: string;
  /** Where to send messages, by POST */
  url: string;
  wait_seconds: number;
  workflow_slug: string;
}

export interface HooksInDeliveryPage {
  items: HooksInDelivery[];
  next_cursor: string | null;
}
