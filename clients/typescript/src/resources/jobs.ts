/** The rows of jobs. */

import type { Http } from "../http.js";
import { Events } from "../events.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { Job, JobPage } from "../types/jobs.js";

/** The body of `jobs.create`. */
export interface CreateJobBody {
  /** A registered kind; GET /api/plugins lists them */
  kind: string;
  /** What the kind works on */
  payload?: unknown;
  /** Of the team's waiting jobs, higher goes first */
  priority?: number;
  /** Not before this time */
  run_at?: string;
}

/** The query of `jobs.get`. */
export interface GetJobQuery {
  /** Seconds to wait for the job to end */
  wait?: number;
}

/** The query of `jobs.list`. */
export interface ListJobQuery {
  /** How many items at the most */
  limit?: number;
  state?: "queued" | "running" | "succeeded" | "failed" | "cancelled";
  /** A registered kind; GET /api/plugins lists them */
  kind?: string;
}

/** Calls of jobs. */
export class Jobs {
  constructor(private readonly http: Http) {}

  /** Cancel a queued job; a running one finishes, and is not tried again. */
  cancel(id: string): Promise<Job> {
    return this.http.call("POST", `/api/jobs/${segment(id)}/cancel`);
  }

  /**
   * Queue a job of a registered kind.
   * Needs chat:use.
   */
  create(body: CreateJobBody): Promise<Job> {
    return this.http.call("POST", "/api/jobs", { body });
  }

  /** One's own job as server-sent events, from Last-Event-ID on, until it ends; 204 behind the last. */
  events(id: string): Events {
    return new Events(this.http, "GET", `/api/jobs/${segment(id)}/events`);
  }

  /** One job with its result or error; wait= answers when it ends. */
  get(id: string, query: GetJobQuery = {}): Promise<Job> {
    return this.http.call("GET", `/api/jobs/${segment(id)}`, { query });
  }

  /** The team's jobs, newest first; what goes in and comes out is shown to a job's own user. */
  list(query: ListJobQuery = {}): Pages<Job, JobPage> {
    return new Pages(this.http, "/api/jobs", query);
  }

  /** Stop a running job whose kind can be stopped; it ends as cancelled, with what it has produced. */
  stop(id: string): Promise<Job> {
    return this.http.call("POST", `/api/jobs/${segment(id)}/stop`);
  }
}
