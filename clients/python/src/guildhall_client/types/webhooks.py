"""What the API says about webhooks."""

from typing import Any, Literal, TypedDict


class WebhookOwner(TypedDict):
    id: str
    name: str | None


class WebhookStopped(TypedDict):
    at: str
    code: str
    message: str


class Webhook(TypedDict):
    created_at: str
    enabled: bool
    events: list[str]
    failing_since: str | None
    filter: dict[str, Any]
    id: str
    old_secret_until: str | None
    ordered: bool
    #: The person whom it acts as
    owner: WebhookOwner
    stopped: WebhookStopped | None
    updated_at: str
    url: str


class WebhookPage(TypedDict):
    items: list[Webhook]
    next_cursor: str | None


class CreatedWebhook(TypedDict):
    created_at: str
    enabled: bool
    events: list[str]
    failing_since: str | None
    filter: dict[str, Any]
    id: str
    old_secret_until: str | None
    ordered: bool
    #: The person whom it acts as
    owner: WebhookOwner
    #: Shown here and never again
    secret: str
    stopped: WebhookStopped | None
    updated_at: str
    url: str


class WebhookRedeliverDeliveryReplyRequest(TypedDict):
    body: str


class WebhookRedeliverDeliveryReplyResponse(TypedDict):
    body: str | None
    status: int


class WebhookRedeliverDeliveryReply(TypedDict):
    attempts: int
    created_at: str
    duration_ms: int | None
    error: str | None
    event: str
    event_id: str
    finished_at: str | None
    #: The webhook-id of its message, the same at each attempt
    id: str
    last_at: str | None
    next_at: str | None
    request: WebhookRedeliverDeliveryReplyRequest
    response: WebhookRedeliverDeliveryReplyResponse | None
    #: Of skipped ones the owner may not know
    state: Literal["waiting", "delivered", "failed", "skipped"]
    status: int | None


class WebhookRedeliverDeliveryReplyPage(TypedDict):
    items: list[WebhookRedeliverDeliveryReply]
    next_cursor: str | None


__all__ = [
    "CreatedWebhook",
    "Webhook",
    "WebhookOwner",
    "WebhookPage",
    "WebhookRedeliverDeliveryReply",
    "WebhookRedeliverDeliveryReplyPage",
    "WebhookRedeliverDeliveryReplyRequest",
    "WebhookRedeliverDeliveryReplyResponse",
    "WebhookStopped",
]
