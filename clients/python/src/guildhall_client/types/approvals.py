"""What the API says about approvals."""

from typing import Any, Literal, TypedDict


class Approval(TypedDict):
    body: str | None
    expires_at: str | None
    form: dict[str, Any] | None
    id: str
    requested_at: str
    run_id: str
    step: str
    title: str


class ApprovalPage(TypedDict):
    items: list[Approval]
    next_cursor: str | None


class ApprovalSetReply(TypedDict):
    body: str | None
    by: str | None
    comment: str | None
    decided_at: str | None
    decision: Literal["approve", "reject"] | None
    expires_at: str | None
    form: dict[str, Any] | None
    id: str
    requested_at: str
    run_id: str
    step: str
    title: str


__all__ = ["Approval", "ApprovalPage", "ApprovalSetReply"]
