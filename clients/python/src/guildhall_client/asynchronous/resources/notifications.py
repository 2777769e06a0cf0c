"""The rows of notifications."""

from collections.abc import Sequence

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.events import AsyncEvents
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.sending import OMITTED, Omitted
from guildhall_client.types.notifications import Notification, NotificationPage, NotificationReadReply


class AsyncNotifications:
    """Calls of notifications."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    def events(self) -> AsyncEvents:
        """New notifications as server-sent events, from Last-Event-ID on, and how many are unread."""
        return AsyncEvents(self._api, "GET", "/api/notifications/events")

    async def read(
        self, *, all: bool | Omitted = OMITTED, ids: Sequence[str] | Omitted = OMITTED
    ) -> NotificationReadReply:
        """Mark notifications of the caller as read: some by id, or all.

        `all`: true in place of ids: all of them
        """
        reply: NotificationReadReply = await self._api.call(
            "POST", "/api/notifications/read", fields={"all": all, "ids": ids}
        )
        return reply

    def list(
        self, *, page_size: int | None = None, unread: bool | None = None
    ) -> AsyncPages[Notification, NotificationPage]:
        """What the caller was told, newest first.

        `unread`: 1: only those that are not read
        """
        return AsyncPages(self._api, "/api/notifications", query={"limit": page_size, "unread": unread})
