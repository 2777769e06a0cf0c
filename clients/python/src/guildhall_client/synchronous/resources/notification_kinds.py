"""The rows of notification kinds."""

from guildhall_client.synchronous.api import Api
from guildhall_client.types.notification_kinds import NotificationKind


class NotificationKinds:
    """Calls of notification kinds."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def get(self) -> NotificationKind:
        """What people are told of here, by every plugin."""
        reply: NotificationKind = self._api.call("GET", "/api/notification-kinds")
        return reply
