/** The rows of webhook events. */

import type { Http } from "../http.js";
import type { WebhookEvent } from "../types/webhook_events.js";

/** Calls of webhook events. */
export class WebhookEvents {
  constructor(private readonly http: Http) {}

  /**
   * The events that a webhook may want.
   * Needs workflows:read.
   */
  get(): Promise<WebhookEvent> {
    return this.http.call("GET", "/api/webhook-events");
  }
}
