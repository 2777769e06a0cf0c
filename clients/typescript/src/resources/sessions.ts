/** The rows of sessions. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { Session, SessionPage } from "../types/sessions.js";

/** The query of `sessions.list`. */
export interface ListSessionQuery {
  /** How many items at the most */
  limit?: number;
}

/** Calls of sessions. */
export class Sessions {
  constructor(private readonly http: Http) {}

  /** End one of the caller's own sessions. */
  delete(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/sessions/${segment(id)}`);
  }

  /** The caller's own sessions, newest first. */
  list(query: ListSessionQuery = {}): Pages<Session, SessionPage> {
    return new Pages(this.http, "/api/sessions", query);
  }
}
