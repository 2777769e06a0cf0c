/** What the API says about plugins. */

export interface PluginsListItemJobKind {
  name: string;
  /** POST /api/jobs takes it; others are the plugin's own */
  public: boolean;
  remote: boolean;
}

export interface PluginsListItemRoute {
  doc: string;
  method: string;
  path: string;
  permission: string | null;
}

export interface PluginsListItem {
  description: string;
  /** For the caller's team */
  enabled: boolean;
  /** No team can switch it off */
  essential: boolean;
  /** What a newer version added, held back until an operator approves it */
  held: string[];
  id: string;
  installed_version: string | null;
  job_kinds: PluginsListItemJobKind[];
  name: string;
  reason: string | null;
  routes: PluginsListItemRoute[];
  source: "builtin" | "directory" | "entry-point";
  status: "loaded" | "quarantined" | "blocked";
  tools: string[];
  /** The one that runs */
  version: string;
  workflows: string[];
}

export interface PluginsList {
  items: PluginsListItem[];
  next_cursor: string | null;
}

export interface PluginApproveReply {
  /** What may be done from now on */
  approved: string[];
  /** What is still held back */
  held: string[];
  id: string;
  /** The one that runs */
  version: string;
}

export interface PluginSetReply {
  enabled: boolean;
  id: string;
  name: string;
}
