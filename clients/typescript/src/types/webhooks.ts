/** What the API says about webhooks. */

export interface WebhookOwner {
  id: string;
  name: string | null;
}

export interface WebhookStopped {
  at: string;
  code: string;
  message: string;
}

export interface Webhook {
  created_at: string;
  enabled: boolean;
  events: string[];
  failing_since: string | null;
  filter: Record<string, unknown>;
  id: string;
  old_secret_until: string | null;
  ordered: boolean;
  /** The person whom it acts as */
  owner: WebhookOwner;
  stopped: WebhookStopped | null;
  updated_at: string;
  url: string;
}

export interface WebhookPage {
  items: Webhook[];
  next_cursor: string | null;
}

export interface CreatedWebhook {
  created_at: string;
  enabled: boolean;
  events: string[];
  failing_since: string | null;
  filter: Record<string, unknown>;
  id: string;
  old_secret_until: string | null;
  ordered: boolean;
  /** The person whom it acts as */
  owner: WebhookOwner;
  /** Shown here and never again */
  secret: string;
  stopped: WebhookStopped | null;
  updated_at: string;
  url: string;
}

export interface WebhookRedeliverDeliveryReplyRequest {
  body: string;
}

export interface WebhookRedeliverDeliveryReplyResponse {
  body: string | null;
  status: number;
}

export interface WebhookRedeliverDeliveryReply {
  attempts: number;
  created_at: string;
  duration_ms: number | null;
  error: string | null;
  event: string;
  event_id: string;
  finished_at: string | null;
  /** The webhook-id of its message, the same at each attempt */
  id: string;
  last_at: string | null;
  next_at: string | null;
  request: WebhookRedeliverDeliveryReplyRequest;
  response: WebhookRedeliverDeliveryReplyResponse | null;
  /** Of skipped ones the owner may not know */
  state: "waiting" | "delivered" | "failed" | "skipped";
  status: number | null;
}

export interface WebhookRedeliverDeliveryReplyPage {
  items: WebhookRedeliverDeliveryReply[];
  next_cursor: string | null;
}
