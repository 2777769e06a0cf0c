/** The rows of workers. */

import type { Http } from "../http.js";
import { segment } from "../sending.js";
import type {
  FailWorkerError,
  WorkerClaimReply,
  WorkerCompleteReply,
  WorkerHeartbeatReply,
} from "../types/workers.js";

/** The body of `workers.claim`. */
export interface ClaimWorkerBody {
  kinds: string[];
  /** Seconds to wait for a job */
  max_wait?: number;
  models?: string[] | null;
}

/** The body of `workers.complete`. */
export interface CompleteWorkerBody {
  claim_token?: string | null;
  result: unknown;
}

/** The body of `workers.fail`. */
export interface FailWorkerBody {
  claim_token?: string | null;
  error: string | FailWorkerError;
  /** Try again, while attempts remain */
  retry?: boolean;
  /** Put it off for so many seconds, and use up no attempt */
  retry_after?: number;
}

/** The body of `workers.heartbeat`. */
export interface HeartbeatWorkerBody {
  claim_token?: string | null;
  progress?: number;
}

/** Calls of workers. */
export class Workers {
  constructor(private readonly http: Http) {}

  /**
   * The next job of these kinds under a lease, or 204; max_wait waits for one.
   * Needs jobs:execute.
   */
  claim(body: ClaimWorkerBody): Promise<WorkerClaimReply | null> {
    return this.http.call("POST", "/api/workers/claim", { body, keyed: false });
  }

  /**
   * End a held job with its result.
   * Needs jobs:execute.
   */
  complete(id: string, body: CompleteWorkerBody): Promise<WorkerCompleteReply> {
    return this.http.call("POST", `/api/workers/jobs/${segment(id)}/complete`, { body, keyed: false });
  }

  /**
   * End a held job without a result; retry gives it to another attempt while some remain.
   * Needs jobs:execute.
   */
  fail(id: string, body: FailWorkerBody): Promise<WorkerCompleteReply> {
    return this.http.call("POST", `/api/workers/jobs/${segment(id)}/fail`, { body, keyed: false });
  }

  /**
   * Extend the lease of a held job, and say how far it is.
   * Needs jobs:execute.
   */
  heartbeat(id: string, body: HeartbeatWorkerBody = {}): Promise<WorkerHeartbeatReply> {
    return this.http.call("POST", `/api/workers/jobs/${segment(id)}/heartbeat`, { body, keyed: false });
  }
}
