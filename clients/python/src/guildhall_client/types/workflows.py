"""What the API says about workflows."""

from typing import Any, Literal, NotRequired, TypedDict


class WorkflowInputs(TypedDict):
    default: NotRequired[Any]
    required: NotRequired[bool]
    type: str


class WorkflowWarning(TypedDict):
    message: str
    #: Where in the spec
    pointer: str


class Workflow(TypedDict):
    created_at: str
    #: Whether runs of it can be started
    enabled: bool
    id: str
    inputs: dict[str, WorkflowInputs]
    max_steps: int
    name: str
    published_by: str | None
    slug: str
    source: str | None
    #: As GET /api/workflows/schema says
    spec: dict[str, Any]
    version: int
    warnings: list[WorkflowWarning]


class ListedWorkflow(TypedDict):
    created_at: str
    #: Whether runs of it can be started
    enabled: bool
    id: str
    inputs: dict[str, WorkflowInputs]
    max_steps: int
    name: str
    published_by: str | None
    slug: str
    source: str | None
    version: int


class ListedWorkflowPage(TypedDict):
    items: list[ListedWorkflow]
    next_cursor: str | None


class WorkflowRunReplyError(TypedDict):
    code: str
    message: str | None
    step: str | None


class WorkflowRunReplyStepError(TypedDict):
    code: str
    message: str | None


class WorkflowRunReplyStepItems(TypedDict):
    cancelled: NotRequired[int]
    done: int
    failed: int
    total: int


class WorkflowRunReplyStep(TypedDict):
    attempt: int
    error: WorkflowRunReplyStepError | None
    finished_at: str | None
    input: Any
    items: NotRequired[WorkflowRunReplyStepItems]
    #: One of the kinds of GET /api/workflows/schema
    kind: str
    name: str
    output: Any
    started_at: str
    state: Literal["running", "waiting", "succeeded", "failed", "cancelled"]


class WorkflowRunReplyWorkflow(TypedDict):
    slug: str
    version: int


class WorkflowRunReply(TypedDict):
    created_at: str
    created_by: str
    error: WorkflowRunReplyError | None
    finished_at: str | None
    id: str
    input: Any
    max_steps: int
    output: Any
    retry_of: str | None
    state: Literal["running", "succeeded", "failed", "cancelled"]
    steps: list[WorkflowRunReplyStep]
    steps_used: int
    trigger_id: str | None
    workflow: WorkflowRunReplyWorkflow


class WorkflowSchemaPredicate(TypedDict):
    doc: str
    operands: int
    predicate: str


class WorkflowSchemaReference(TypedDict):
    doc: str
    reference: str


class WorkflowSchemaStepKind(TypedDict):
    doc: str
    kind: str
    output: str | None


class WorkflowSchema(TypedDict):
    input_types: list[str]
    limits: dict[str, int]
    predicates: list[WorkflowSchemaPredicate]
    references: list[WorkflowSchemaReference]
    #: JSON Schema 2020-12
    schema: dict[str, Any]
    step_kinds: list[WorkflowSchemaStepKind]
    version: int


__all__ = [
    "ListedWorkflow",
    "ListedWorkflowPage",
    "Workflow",
    "WorkflowInputs",
    "WorkflowRunReply",
    "WorkflowRunReplyError",
    "WorkflowRunReplyStep",
    "WorkflowRunReplyStepError",
    "WorkflowRunReplyStepItems",
    "WorkflowRunReplyWorkflow",
    "WorkflowSchema",
    "WorkflowSchemaPredicate",
    "WorkflowSchemaReference",
    "WorkflowSchemaStepKind",
    "WorkflowWarning",
]
