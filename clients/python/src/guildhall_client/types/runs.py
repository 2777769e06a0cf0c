"""What the API says about runs."""

from typing import Any, Literal, NotRequired, TypedDict


class RunError(TypedDict):
    code: str
    message: str | None
    step: str | None


class RunStepError(TypedDict):
    code: str
    message: str | None


class RunStepItems(TypedDict):
    cancelled: NotRequired[int]
    done: int
    failed: int
    total: int


class RunStep(TypedDict):
    attempt: int
    error: RunStepError | None
    finished_at: str | None
    input: Any
    items: NotRequired[RunStepItems]
    #: One of the kinds of GET /api/workflows/schema
    kind: str
    name: str
    output: Any
    started_at: str
    state: Literal["running", "waiting", "succeeded", "failed", "cancelled"]


class RunWorkflow(TypedDict):
    slug: str
    version: int


class Run(TypedDict):
    created_at: str
    created_by: str
    error: RunError | None
    finished_at: str | None
    id: str
    input: Any
    max_steps: int
    output: Any
    retry_of: str | None
    state: Literal["running", "succeeded", "failed", "cancelled"]
    steps: list[RunStep]
    steps_used: int
    trigger_id: str | None
    workflow: RunWorkflow


class RunPage(TypedDict):
    items: list[Run]
    next_cursor: str | None


__all__ = ["Run", "RunError", "RunPage", "RunStep", "RunStepError", "RunStepItems", "RunWorkflow"]
