"""What the API says about webhook events."""

from typing import TypedDict


class WebhookEventItem(TypedDict):
    #: When it happens
    doc: str
    name: str


class WebhookEvent(TypedDict):
    items: list[WebhookEventItem]
    next_cursor: str | None


__all__ = ["WebhookEvent", "WebhookEventItem"]
