"""What the API says about hooks in."""

from typing import Any, Literal, NotRequired, TypedDict


class HooksInOwner(TypedDict):
    id: str
    name: str | None


class HooksInStopped(TypedDict):
    at: str
    code: str
    message: str


class HooksIn2(TypedDict):
    created_at: str
    enabled: bool
    id: str
    last_at: str | None
    #: The person whom it acts as
    owner: HooksInOwner
    schema: dict[str, Any] | None
    scheme: Literal["standard", "github", "stripe", "slack", "none"]
    stopped: HooksInStopped | None
    updated_at: str
    #: Where to send messages, by POST
    url: str
    wait_seconds: int
    workflow_slug: str


class HooksIn2Page(TypedDict):
    items: list[HooksIn2]
    next_cursor: str | None


class CreatedHooksIn(TypedDict):
    created_at: str
    enabled: bool
    id: str
    last_at: str | None
    #: The person whom it acts as
    owner: HooksInOwner
    schema: dict[str, Any] | None
    scheme: Literal["standard", "github", "stripe", "slack", "none"]
    secret: str | None
    stopped: HooksInStopped | None
    updated_at: str
    #: Where to send messages, by POST
    url: str
    wait_seconds: int
    workflow_slug: str


class HooksInDelivery(TypedDict):
    body: str | None
    created_at: str
    delivery_key: str | None
    error: str | None
    id: str
    replay_of: str | None
    run_id: str | None
    size: int
    state: Literal["started", "refused"]


class HooksInReplayDeliveryReply(TypedDict):
    delivery_id: str
    run_id: str


class HooksInUpdateReply(TypedDict):
    created_at: str
    enabled: bool
    id: str
    last_at: str | None
    #: The person whom it acts as
    owner: HooksInOwner
    schema: dict[str, Any] | None
    scheme: Literal["standard", "github", "stripe", "slack", "none"]
    #: Shown here and never again
    secret: NotRequired[str]
    stopped: HooksInStopped | None
    updated_at: str
    #: Where to send messages, by POST
    url: str
    wait_seconds: int
    workflow_slug: str


class HooksInDeliveryPage(TypedDict):
    items: list[HooksInDelivery]
    next_cursor: str | None


__all__ = [
    "CreatedHooksIn",
    "HooksIn2",
    "HooksIn2Page",
    "HooksInDelivery",
    "HooksInDeliveryPage",
    "HooksInOwner",
    "HooksInReplayDeliveryReply",
    "HooksInStopped",
    "HooksInUpdateReply",
]
