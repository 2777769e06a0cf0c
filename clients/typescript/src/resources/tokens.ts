/** The rows of tokens. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { Permission } from "../types/permissions.js";
import type { CreatedToken, Token, TokenPage } from "../types/tokens.js";

/** The body of `tokens.create`. */
export interface CreateTokenBody {
  /** `api` unless told, or a kind that a plugin gives out */
  kind?: string;
  name?: string;
  scope?: Permission[];
  /** Seconds, 90 days unless told, or `never` */
  ttl?: "never" | number;
}

/** The query of `tokens.list`. */
export interface ListTokenQuery {
  /** How many items at the most */
  limit?: number;
}

/** Calls of tokens. */
export class Tokens {
  constructor(private readonly http: Http) {}

  /**
   * Issue an API token, shown once. A scope narrows what its owner may do with it.
   * Needs settings:manage.
   */
  create(body: CreateTokenBody = {}): Promise<CreatedToken> {
    return this.http.call("POST", "/api/tokens", { body });
  }

  /**
   * Revoke an API token.
   * Needs settings:manage.
   */
  delete(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/tokens/${segment(id)}`);
  }

  /**
   * The team's tokens, those of connected apps too, and for who manages the company those of its directories; each
   * kind newest first.
   * Needs settings:manage.
   */
  list(query: ListTokenQuery = {}): Pages<Token, TokenPage> {
    return new Pages(this.http, "/api/tokens", query);
  }
}
