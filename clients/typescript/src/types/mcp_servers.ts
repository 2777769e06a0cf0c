/** What the API says about mcp servers. */

export interface McpServerChangeAfter {
  description: string;
  schema: unknown;
}

export interface McpServerChange {
  after: McpServerChangeAfter | null;
  before: McpServerChangeAfter | null;
  original: string;
  tool: string;
  what: "added" | "changed" | "removed";
}

export interface McpServerRefused {
  reason: string;
  tool: string;
}

export interface McpServerTool {
  approved: boolean;
  name: string;
  original: string;
}

export interface McpServer {
  changes: McpServerChange[];
  detail: string | null;
  name: string;
  protocol: string | null;
  refused: McpServerRefused[];
  /** Of what waits for approval; may be sent back as If-Match */
  revision: string;
  since: string;
  status: "connected" | "connecting" | "down" | "needs_approval";
  tools: McpServerTool[];
  transport: "stdio" | "http";
}

export interface McpServerPage {
  items: McpServer[];
  next_cursor: string | null;
}
