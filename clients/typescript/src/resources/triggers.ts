/** The rows of triggers. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { CreatedTrigger, ListedTrigger, ListedTriggerPage, Trigger } from "../types/triggers.js";

/** The body of `triggers.create`. */
export interface CreateTriggerBody {
  /** Off, it matches nothing that is written; its history stays */
  enabled?: boolean;
  /** Also for documents that were made from others */
  fire_on_derived?: boolean;
  /** The workflow's input; object_id is added where the workflow declares it */
  input?: Record<string, unknown>;
  /** What the key begins with; empty for every key */
  match_prefix?: string;
  /** Media types, such as text/plain, text/* or *\/*; none is any */
  match_types?: string[];
  /** The workflow to start */
  workflow_slug: string;
}

/** The query of `triggers.get`. */
export interface GetTriggerQuery {
  /** `fires_cursor` of the answer before */
  fires_cursor?: string;
}

/** The query of `triggers.list`. */
export interface ListTriggerQuery {
  /** How many items at the most */
  limit?: number;
}

/** The body of `triggers.update`. */
export interface UpdateTriggerBody {
  /** Off, it matches nothing that is written; its history stays */
  enabled?: boolean;
  /** Also for documents that were made from others */
  fire_on_derived?: boolean;
  /** The workflow's input; object_id is added where the workflow declares it */
  input?: Record<string, unknown>;
  /** What the key begins with; empty for every key */
  match_prefix?: string;
  /** Media types, such as text/plain, text/* or *\/*; none is any */
  match_types?: string[];
  /** The workflow to start */
  workflow_slug?: string;
}

/** Calls of triggers. */
export class Triggers {
  constructor(private readonly http: Http) {}

  /**
   * Start a workflow for every object that is written from now on and matches.
   * Needs workflows:write.
   */
  create(body: CreateTriggerBody): Promise<CreatedTrigger> {
    return this.http.call("POST", "/api/doc-triggers", { body });
  }

  /**
   * Delete a trigger with its history; runs that it started remain.
   * Needs workflows:write.
   */
  delete(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/doc-triggers/${segment(id)}`);
  }

  /**
   * A trigger with what became of the versions that it matched, newest first.
   * Needs workflows:read.
   */
  get(id: string, query: GetTriggerQuery = {}): Promise<Trigger> {
    return this.http.call("GET", `/api/doc-triggers/${segment(id)}`, { query });
  }

  /**
   * The team's triggers, newest first, and what is left of its AI budget.
   * Needs workflows:read.
   */
  list(query: ListTriggerQuery = {}): Pages<ListedTrigger, ListedTriggerPage> {
    return new Pages(this.http, "/api/doc-triggers", query);
  }

  /**
   * Change a trigger; what is left out stays.
   * Needs workflows:write.
   */
  update(id: string, body: UpdateTriggerBody = {}): Promise<CreatedTrigger> {
    return this.http.call("PATCH", `/api/doc-triggers/${segment(id)}`, { body });
  }
}
