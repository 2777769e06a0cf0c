/** The rows of mcp servers. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { McpServer, McpServerPage } from "../types/mcp_servers.js";

/** The body of `mcpServers.approve`. */
export interface ApproveMcpServerBody {
  /** By name; without it all that wait */
  tools?: string[];
}

/** The query of `mcpServers.list`. */
export interface ListMcpServerQuery {
  /** How many items at the most */
  limit?: number;
}

/** Calls of mcp servers. */
export class McpServers {
  constructor(private readonly http: Http) {}

  /**
   * Approve tools of an MCP server as they are now: all that wait, or those that are named.
   * Needs instance:manage.
   */
  approve(name: string, body: ApproveMcpServerBody = {}): Promise<McpServer> {
    return this.http.call("POST", `/api/mcp/${segment(name)}/approve`, { body });
  }

  /** The MCP servers of the settings, as the process that answers sees them. */
  list(query: ListMcpServerQuery = {}): Pages<McpServer, McpServerPage> {
    return new Pages(this.http, "/api/mcp", query);
  }
}
