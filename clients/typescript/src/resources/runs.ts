/** The rows of runs. */

import type { Http } from "../http.js";
import { Events } from "../events.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { Run, RunPage } from "../types/runs.js";

/** The query of `runs.list`. */
export interface ListRunQuery {
  /** How many items at the most */
  limit?: number;
  workflow?: string;
  state?: "running" | "succeeded" | "failed" | "cancelled";
}

/** The body of `runs.retry`. */
export interface RetryRunBody {
  /** Where to begin: at the failed step, or anew */
  from?: "failed" | "start";
  /** The version that ran, or the one that runs now */
  version?: "same" | "current";
}

/** Calls of runs. */
export class Runs {
  constructor(private readonly http: Http) {}

  /**
   * Cancel a run: what executes finishes, and nothing follows.
   * Needs workflows:run.
   */
  cancel(id: string): Promise<Run> {
    return this.http.call("POST", `/api/runs/${segment(id)}/cancel`);
  }

  /**
   * A run as server-sent events, from Last-Event-ID on, until it ends; 204 behind the last.
   * Needs workflows:read.
   */
  events(id: string): Events {
    return new Events(this.http, "GET", `/api/runs/${segment(id)}/events`);
  }

  /**
   * One run with its steps; inputs and outputs are shown to its creator.
   * Needs workflows:read.
   */
  get(id: string): Promise<Run> {
    return this.http.call("GET", `/api/runs/${segment(id)}`);
  }

  /**
   * The team's runs, newest first.
   * Needs workflows:read.
   */
  list(query: ListRunQuery = {}): Pages<Run, RunPage> {
    return new Pages(this.http, "/api/runs", query);
  }

  /**
   * Try a run again, from the step that failed or anew, as the caller.
   * Needs workflows:run.
   */
  retry(id: string, body: RetryRunBody = {}): Promise<Run> {
    return this.http.call("POST", `/api/runs/${segment(id)}/retry`, { body });
  }
}
