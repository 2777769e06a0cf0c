/** What the API says about tools. */

export interface Tool {
  description: string;
  enabled: boolean;
  name: string;
  permission: string;
  /** The function as it is shown to a model */
  schema: Record<string, unknown>;
  /** The plugin that registers it */
  source: string;
}

export interface ToolPage {
  items: Tool[];
  next_cursor: string | null;
}

export interface ToolSetReply {
  enabled: boolean;
  name: string;
}
