/** The rows of workflows. */

import type { Http } from "../http.js";
import { Pages } from "../paging.js";
import { segment } from "../sending.js";
import type {
  ListedWorkflow,
  ListedWorkflowPage,
  Workflow,
  WorkflowRunReply,
  WorkflowSchema,
} from "../types/workflows.js";

/** The body of `workflows.create`. */
export interface CreateWorkflowBody {
  /** Inputs by name, as GET /api/workflows/schema says */
  inputs?: Record<string, unknown>;
  /** How many jobs a run may take, items of maps included */
  max_steps?: number;
  name?: string;
  slug: string;
  /** The name of the first step */
  start: string;
  /** Steps, as GET /api/workflows/schema says */
  steps: unknown[];
  /** Taken and ignored: the server counts */
  version?: number;
}

/** The query of `workflows.get`. */
export interface GetWorkflowQuery {
  /** A version that the team has */
  version?: number;
}

/** The query of `workflows.list`. */
export interface ListWorkflowQuery {
  /** How many items at the most */
  limit?: number;
}

/** The body of `workflows.run`. */
export interface RunWorkflowBody {
  /** What the workflow declares as its inputs */
  input?: Record<string, unknown>;
}

/** The body of `workflows.update`. */
export interface UpdateWorkflowBody {
  enabled: boolean;
}

/** The query of `workflows.versions`. */
export interface VersionsWorkflowQuery {
  /** How many items at the most */
  limit?: number;
}

/** Calls of workflows. */
export class Workflows {
  constructor(private readonly http: Http) {}

  /**
   * Publish a spec; a slug that is there already gets a new version.
   * Needs workflows:write.
   */
  create(body: CreateWorkflowBody): Promise<Workflow> {
    return this.http.call("POST", "/api/workflows", { body });
  }

  /**
   * Delete what the team published under a slug; its runs stay.
   * Needs workflows:write.
   */
  delete(slug: string): Promise<void> {
    return this.http.call("DELETE", `/api/workflows/${segment(slug)}`);
  }

  /**
   * One workflow with its spec, in its current version or in the one that is named.
   * Needs workflows:read.
   */
  get(slug: string, query: GetWorkflowQuery = {}): Promise<Workflow> {
    return this.http.call("GET", `/api/workflows/${segment(slug)}`, { query });
  }

  /**
   * The team's workflows by slug, those of plugins too, each in its current version.
   * Needs workflows:read.
   */
  list(query: ListWorkflowQuery = {}): Pages<ListedWorkflow, ListedWorkflowPage> {
    return new Pages(this.http, "/api/workflows", query);
  }

  /**
   * Start a run of the current version, as the caller.
   * Needs workflows:run.
   */
  run(slug: string, body: RunWorkflowBody = {}): Promise<WorkflowRunReply> {
    return this.http.call("POST", `/api/workflows/${segment(slug)}/run`, { body });
  }

  /** The format of a spec, for editors: its number, JSON Schema, references, predicates and limits. */
  schema(): Promise<WorkflowSchema> {
    return this.http.call("GET", "/api/workflows/schema");
  }

  /**
   * Turn a workflow off or on: runs that began go on.
   * Needs workflows:write.
   */
  update(slug: string, body: UpdateWorkflowBody): Promise<Workflow> {
    return this.http.call("PATCH", `/api/workflows/${segment(slug)}`, { body });
  }

  /**
   * The versions of a workflow that the team has, newest first.
   * Needs workflows:read.
   */
  versions(slug: string, query: VersionsWorkflowQuery = {}): Pages<ListedWorkflow, ListedWorkflowPage> {
    return new Pages(this.http, `/api/workflows/${segment(slug)}/versions`, query);
  }
}
