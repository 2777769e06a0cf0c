/** The rows of hooks in. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type {
  CreatedHooksIn,
  HooksIn2,
  HooksIn2Page,
  HooksInDelivery,
  HooksInDeliveryPage,
  HooksInReplayDeliveryReply,
  HooksInUpdateReply,
} from "../types/hooks_in.js";

/** The body of `hooksIn.create`. */
export interface CreateHooksInBody {
  /** Off, the address answers 404 */
  enabled?: boolean;
  schema?: Record<string, unknown> | null;
  /** Whose way to sign a message */
  scheme: "standard" | "github" | "stripe" | "slack" | "none";
  /** The secret that the sender gave you; left out, you get one to give to the sender */
  secret?: string;
  /** For how long a sender waits for the run's output */
  wait_seconds?: number;
  /** The workflow to start */
  workflow_slug: string;
}

/** The query of `hooksIn.deliveries`. */
export interface DeliveriesHooksInQuery {
  /** How many items at the most */
  limit?: number;
}

/** The query of `hooksIn.list`. */
export interface ListHooksInQuery {
  /** How many items at the most */
  limit?: number;
}

/** The body of `hooksIn.update`. */
export interface UpdateHooksInBody {
  /** Off, the address answers 404 */
  enabled?: boolean;
  schema?: Record<string, unknown> | null;
  /** Whose way to sign a message */
  scheme?: "standard" | "github" | "stripe" | "slack" | "none";
  /** The secret that the sender gave you; left out, you get one to give to the sender */
  secret?: string;
  /** For how long a sender waits for the run's output */
  wait_seconds?: number;
  /** The workflow to start */
  workflow_slug?: string;
}

/** Calls of hooks in. */
export class HooksIn {
  constructor(private readonly http: Http) {}

  /**
   * An address at which messages start a workflow; its secret is shown once.
   * Needs workflows:write.
   */
  create(body: CreateHooksInBody): Promise<CreatedHooksIn> {
    return this.http.call("POST", "/api/hooks-in", { body });
  }

  /**
   * Delete an incoming webhook with its history; runs that it started remain.
   * Needs workflows:write.
   */
  delete(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/hooks-in/${segment(id)}`);
  }

  /**
   * What came in, newest first.
   * Needs workflows:read.
   */
  deliveries(id: string, query: DeliveriesHooksInQuery = {}): Pages<HooksInDelivery, HooksInDeliveryPage> {
    return new Pages(this.http, `/api/hooks-in/${segment(id)}/deliveries`, query);
  }

  /**
   * What came in once, with its whole body.
   * Needs workflows:read.
   */
  delivery(id: string, deliveryId: string): Promise<HooksInDelivery> {
    return this.http.call("GET", `/api/hooks-in/${segment(id)}/deliveries/${segment(deliveryId)}`);
  }

  /**
   * An incoming webhook.
   * Needs workflows:read.
   */
  get(id: string): Promise<HooksIn2> {
    return this.http.call("GET", `/api/hooks-in/${segment(id)}`);
  }

  /**
   * The addresses that start workflows of the team, newest first.
   * Needs workflows:read.
   */
  list(query: ListHooksInQuery = {}): Pages<HooksIn2, HooksIn2Page> {
    return new Pages(this.http, "/api/hooks-in", query);
  }

  /**
   * Start the workflow again with what came in once.
   * Needs workflows:write.
   */
  replayDelivery(id: string, deliveryId: string): Promise<HooksInReplayDeliveryReply> {
    return this.http.call("POST", `/api/hooks-in/${segment(id)}/deliveries/${segment(deliveryId)}/replay`);
  }

  /**
   * Change an incoming webhook; another scheme has another secret, shown once.
   * Needs workflows:write.
   */
  update(id: string, body: UpdateHooksInBody = {}): Promise<HooksInUpdateReply> {
    return this.http.call("PATCH", `/api/hooks-in/${segment(id)}`, { body });
  }
}
