/** The rows of tools. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { Tool, ToolPage, ToolSetReply } from "../types/tools.js";

/** The query of `tools.list`. */
export interface ListToolQuery {
  /** How many items at the most */
  limit?: number;
}

/** The body of `tools.set`. */
export interface SetToolBody {
  enabled: boolean;
}

/** Calls of tools. */
export class Tools {
  constructor(private readonly http: Http) {}

  /** Registered tools, and whether each is on for the team. */
  list(query: ListToolQuery = {}): Pages<Tool, ToolPage> {
    return new Pages(this.http, "/api/tools", query);
  }

  /**
   * Turn a tool on or off for the team.
   * Needs settings:manage.
   */
  set(name: string, body: SetToolBody): Promise<ToolSetReply> {
    return this.http.call("POST", `/api/tools/${segment(name)}`, { body });
  }
}
