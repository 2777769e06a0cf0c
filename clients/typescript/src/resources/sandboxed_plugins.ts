/** The rows of sandboxed plugins. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { SandboxedPlugin, SandboxedPluginPage } from "../types/sandboxed_plugins.js";

/** The query of `sandboxedPlugins.list`. */
export interface ListSandboxedPluginQuery {
  /** How many items at the most */
  limit?: number;
}

/** The body of `sandboxedPlugins.setGrants`. */
export interface SetGrantsSandboxedPluginBody {
  capabilities: string[];
}

/** Calls of sandboxed plugins. */
export class SandboxedPlugins {
  constructor(private readonly http: Http) {}

  /** Out-of-process plugins, how closed they are, and the capabilities that they may request. */
  list(query: ListSandboxedPluginQuery = {}): Pages<SandboxedPlugin, SandboxedPluginPage> {
    return new Pages(this.http, "/api/oop", query);
  }

  /**
   * Grant an out-of-process plugin these of its requested capabilities, and no others.
   * Needs instance:manage.
   */
  setGrants(id: string, body: SetGrantsSandboxedPluginBody): Promise<SandboxedPlugin> {
    return this.http.call("POST", `/api/oop/${segment(id)}/grants`, { body });
  }
}
