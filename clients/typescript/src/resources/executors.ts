/** The rows of executors. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type { CreatedExecutor, Executor, ExecutorPage, ExecutorProbeReply } from "../types/executors.js";

/** The body of `executors.create`. */
export interface CreateExecutorBody {
  capabilities?: string[];
  /** Sent to url as a bearer token; never shown */
  key?: string;
  /** pull: a worker claims jobs; push: work is sent to url */
  mode: "pull" | "push";
  model?: string;
  name: string;
  /** Offers it to the teams of this company alone */
  org_id?: string;
  /** Of an OpenAI-compatible endpoint, with its /v1; /chat/completions is put behind it */
  url?: string;
}

/** The query of `executors.list`. */
export interface ListExecutorQuery {
  /** How many items at the most */
  limit?: number;
}

/** Calls of executors. */
export class Executors {
  constructor(private readonly http: Http) {}

  /**
   * Create an executor, for everybody or bound to a company. The token of one that pulls is shown once.
   * Needs instance:manage.
   */
  create(body: CreateExecutorBody): Promise<CreatedExecutor> {
    return this.http.call("POST", "/api/executors", { body });
  }

  /**
   * Retire an executor: its token ends, and the jobs that it holds return to the queue.
   * Needs instance:manage.
   */
  delete(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/executors/${segment(id)}`);
  }

  /** The executors that the caller's company may use, the local one first; for operators, all of them. */
  list(query: ListExecutorQuery = {}): Pages<Executor, ExecutorPage> {
    return new Pages(this.http, "/api/executors", query);
  }

  /**
   * Ask an executor's endpoint for a short turn: how it is, and what it does not take. One that is not the company's
   * own wants instance:manage.
   * Needs org:manage.
   */
  probe(id: string): Promise<ExecutorProbeReply> {
    return this.http.call("POST", `/api/executors/${segment(id)}/probe`);
  }
}
