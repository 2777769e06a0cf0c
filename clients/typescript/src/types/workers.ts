/** What the API says about workers. */

export interface WorkerClaimReplyLease {
  expires_at: string;
  seconds: number;
}

export interface WorkerClaimReply {
  attempt: number;
  claim_token: string;
  id: string;
  kind: string;
  lease: WorkerClaimReplyLease;
  payload: unknown;
  team_id: string;
}

export interface WorkerCompleteReply {
  id: string;
}

export interface FailWorkerError {
  code: string;
  message: string;
}

export interface WorkerHeartbeatReply {
  lease: WorkerClaimReplyLease;
}
