"""What the API says about notification kinds."""

from typing import Literal, TypedDict


class NotificationKindItem(TypedDict):
    #: When a mail says so
    mail: Literal["at_once", "daily", "never"]
    name: str
    plugin: str
    #: Whether the browser says so on this person's device
    push: bool
    #: In the caller's language
    title: str


class NotificationKind(TypedDict):
    items: list[NotificationKindItem]
    next_cursor: str | None


__all__ = ["NotificationKind", "NotificationKindItem"]
