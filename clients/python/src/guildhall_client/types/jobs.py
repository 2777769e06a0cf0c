"""What the API says about jobs."""

from typing import Any, Literal, TypedDict


class JobError(TypedDict):
    code: str
    message: str | None


class Job(TypedDict):
    attempt: int
    created_at: str
    #: What jobs of this kind do
    description: str
    error: JobError | None
    executor: str | None
    finished_at: str | None
    id: str
    kind: str
    max_attempts: int
    payload: Any
    progress: float | None
    result: Any
    run_at: str | None
    started_at: str | None
    state: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    team_id: str
    user_id: str


class JobPage(TypedDict):
    items: list[Job]
    next_cursor: str | None


__all__ = ["Job", "JobError", "JobPage"]
