"""The rows of notification kinds."""

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.types.notification_kinds import NotificationKind


class AsyncNotificationKinds:
    """Calls of notification kinds."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def get(self) -> NotificationKind:
        """What people are told of here, by every plugin."""
        reply: NotificationKind = await self._api.call("GET", "/api/notification-kinds")
        return reply
