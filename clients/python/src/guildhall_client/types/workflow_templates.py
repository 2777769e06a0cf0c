"""What the API says about workflow templates."""

from typing import Any, NotRequired, TypedDict


class WorkflowTemplateItem(TypedDict):
    description: str
    name: str
    slug: str
    #: As GET /api/workflows/schema says
    spec: dict[str, Any]


class WorkflowTemplate(TypedDict):
    items: list[WorkflowTemplateItem]
    next_cursor: str | None


class WorkflowTemplateUseReplyInputs(TypedDict):
    default: NotRequired[Any]
    required: NotRequired[bool]
    type: str


class WorkflowTemplateUseReplyWarning(TypedDict):
    message: str
    #: Where in the spec
    pointer: str


class WorkflowTemplateUseReply(TypedDict):
    created_at: str
    #: Whether runs of it can be started
    enabled: bool
    id: str
    inputs: dict[str, WorkflowTemplateUseReplyInputs]
    max_steps: int
    name: str
    published_by: str | None
    slug: str
    source: str | None
    #: As GET /api/workflows/schema says
    spec: dict[str, Any]
    version: int
    warnings: list[WorkflowTemplateUseReplyWarning]


__all__ = [
    "WorkflowTemplate",
    "WorkflowTemplateItem",
    "WorkflowTemplateUseReply",
    "WorkflowTemplateUseReplyInputs",
    "WorkflowTemplateUseReplyWarning",
]
