/** The rows of connected apps. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { ConnectedApp, ConnectedAppPage } from "../types/connected_apps.js";

/** The query of `connectedApps.delete`. */
export interface DeleteConnectedAppQuery {
  company?: boolean;
}

/** The query of `connectedApps.list`. */
export interface ListConnectedAppQuery {
  /** How many items at the most */
  limit?: number;
  everybody?: boolean;
  company?: boolean;
}

/** Calls of connected apps. */
export class ConnectedApps {
  constructor(private readonly http: Http) {}

  /**
   * End what a program was allowed, with all its tokens: one's own, with settings:manage the team's, or with company
   * and org:manage another team's.
   */
  delete(id: string, query: DeleteConnectedAppQuery = {}): Promise<void> {
    return this.http.call("DELETE", `/api/connected-apps/${segment(id)}`, { query });
  }

  /**
   * The programs that the caller allowed something in this team; with everybody those of the whole team, for
   * settings:manage, and with company those of all its teams, for org:manage.
   */
  list(query: ListConnectedAppQuery = {}): Pages<ConnectedApp, ConnectedAppPage> {
    return new Pages(this.http, "/api/connected-apps", query);
  }
}
