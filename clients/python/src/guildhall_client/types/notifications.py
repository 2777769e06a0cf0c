"""What the API says about notifications."""

from typing import Any, TypedDict


class NotificationTeam(TypedDict):
    id: str
    name: str


class Notification(TypedDict):
    created_at: str
    id: str
    #: Such as notes.shared
    kind: str
    #: Where it leads in the console
    link: str
    #: What the text is made of
    params: dict[str, Any]
    read_at: str | None
    team: NotificationTeam | None
    #: What happened, in the caller's language
    text: str


class NotificationPage(TypedDict):
    items: list[Notification]
    next_cursor: str | None
    #: How many the caller has not read
    unread: int


class NotificationReadReply(TypedDict):
    #: How many the caller has not read
    unread: int


__all__ = ["Notification", "NotificationPage", "NotificationReadReply", "NotificationTeam"]
