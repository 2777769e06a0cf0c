"""What the API says about workers."""

from typing import Any, TypedDict


class WorkerClaimReplyLease(TypedDict):
    expires_at: str
    seconds: int


class WorkerClaimReply(TypedDict):
    attempt: int
    claim_token: str
    id: str
    kind: str
    lease: WorkerClaimReplyLease
    payload: Any
    team_id: str


class WorkerCompleteReply(TypedDict):
    id: str


class FailWorkerError(TypedDict):
    code: str
    message: str


class WorkerHeartbeatReply(TypedDict):
    lease: WorkerClaimReplyLease


__all__ = [
    "FailWorkerError",
    "WorkerClaimReply",
    "WorkerClaimReplyLease",
    "WorkerCompleteReply",
    "WorkerHeartbeatReply",
]
