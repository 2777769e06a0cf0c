/** The rows of webhooks. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type {
  CreatedWebhook,
  Webhook,
  WebhookPage,
  WebhookRedeliverDeliveryReply,
  WebhookRedeliverDeliveryReplyPage,
} from "../types/webhooks.js";

/** The body of `webhooks.create`. */
export interface CreateWebhookBody {
  /** Off, nothing is sent, and what happens meanwhile is not sent later */
  enabled?: boolean;
  /** Names of events, such as object.written */
  events: string[];
  /** Members of the data with the value that they must have */
  filter?: Record<string, string | number | boolean | null>;
  /** One after the other, in the order in which they happened */
  ordered?: boolean;
  /** Where events are sent, by POST */
  url: string;
}

/** The query of `webhooks.deliveries`. */
export interface DeliveriesWebhookQuery {
  /** How many items at the most */
  limit?: number;
}

/** The query of `webhooks.list`. */
export interface ListWebhookQuery {
  /** How many items at the most */
  limit?: number;
}

/** The body of `webhooks.update`. */
export interface UpdateWebhookBody {
  /** Off, nothing is sent, and what happens meanwhile is not sent later */
  enabled?: boolean;
  /** Names of events, such as object.written */
  events?: string[];
  /** Members of the data with the value that they must have */
  filter?: Record<string, string | number | boolean | null>;
  /** One after the other, in the order in which they happened */
  ordered?: boolean;
  /** Where events are sent, by POST */
  url?: string;
}

/** Calls of webhooks. */
export class Webhooks {
  constructor(private readonly http: Http) {}

  /**
   * Have events sent to an address, signed by a secret that is shown once.
   * Needs workflows:write.
   */
  create(body: CreateWebhookBody): Promise<CreatedWebhook> {
    return this.http.call("POST", "/api/webhooks", { body });
  }

  /**
   * Delete a webhook with its deliveries; what waits is not sent any more.
   * Needs workflows:write.
   */
  delete(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/webhooks/${segment(id)}`);
  }

  /**
   * What was sent and answered, newest first.
   * Needs workflows:read.
   */
  deliveries(
    id: string,
    query: DeliveriesWebhookQuery = {},
  ): Pages<WebhookRedeliverDeliveryReply, WebhookRedeliverDeliveryReplyPage> {
    return new Pages(this.http, `/api/webhooks/${segment(id)}/deliveries`, query);
  }

  /**
   * A webhook.
   * Needs workflows:read.
   */
  get(id: string): Promise<Webhook> {
    return this.http.call("GET", `/api/webhooks/${segment(id)}`);
  }

  /**
   * The addresses that the team's events are sent to, newest first.
   * Needs workflows:read.
   */
  list(query: ListWebhookQuery = {}): Pages<Webhook, WebhookPage> {
    return new Pages(this.http, "/api/webhooks", query);
  }

  /**
   * Have a delivery sent again, under its id.
   * Needs workflows:write.
   */
  redeliverDelivery(id: string, deliveryId: string): Promise<WebhookRedeliverDeliveryReply> {
    return this.http.call("POST", `/api/webhooks/${segment(id)}/deliveries/${segment(deliveryId)}/redeliver`);
  }

  /**
   * Another secret, shown once; the one before signs too for a day.
   * Needs workflows:write.
   */
  rotate(id: string): Promise<CreatedWebhook> {
    return this.http.call("POST", `/api/webhooks/${segment(id)}/rotate`);
  }

  /**
   * Have a message sent that says nothing.
   * Needs workflows:write.
   */
  test(id: string): Promise<WebhookRedeliverDeliveryReply> {
    return this.http.call("POST", `/api/webhooks/${segment(id)}/test`);
  }

  /**
   * Change a webhook; what is left out stays.
   * Needs workflows:write.
   */
  update(id: string, body: UpdateWebhookBody = {}): Promise<Webhook> {
    return this.http.call("PATCH", `/api/webhooks/${segment(id)}`, { body });
  }
}
