/** What the API says about webhook events. */

export interface WebhookEventItem {
  /** When it happens */
  doc: string;
  name: string;
}

export interface WebhookEvent {
  items: WebhookEventItem[];
  next_cursor: string | null;
}
