/** The rows of plugins. */

import type { Http } from "../http.js";
import { segment } from "../sending.js";
import type { PluginApproveReply, PluginSetReply, PluginsList } from "../types/plugins.js";

/** The body of `plugins.approve`. */
export interface ApprovePluginBody {
  /** Of what `GET /api/plugins` calls held, what to approve; all, unless given */
  held?: string[];
}

/** The body of `plugins.set`. */
export interface SetPluginBody {
  enabled: boolean;
}

/** Calls of plugins. */
export class Plugins {
  constructor(private readonly http: Http) {}

  /**
   * Let a plugin do what its newer version adds: permissions, routes, job kinds.
   * Needs instance:manage.
   */
  approve(id: string, body: ApprovePluginBody = {}): Promise<PluginApproveReply> {
    return this.http.call("POST", `/api/plugins/${segment(id)}/approve`, { body });
  }

  /** Every plugin with its state, what it brings and whether it is on for the team. */
  list(): Promise<PluginsList> {
    return this.http.call("GET", "/api/plugins");
  }

  /**
   * Turn a plugin that is not essential on or off for the team.
   * Needs settings:manage.
   */
  set(id: string, body: SetPluginBody): Promise<PluginSetReply> {
    return this.http.call("POST", `/api/plugins/${segment(id)}`, { body });
  }
}
