"""The rows of notification settings."""

from collections.abc import Mapping

from guildhall_client.synchronous.api import Api
from guildhall_client.types.notification_settings import NotificationSetting, SetNotificationSetting


class NotificationSettings:
    """Calls of notification settings."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def get(self) -> dict[str, NotificationSetting]:
        """Of what the caller hears by mail and on their device."""
        reply: dict[str, NotificationSetting] = self._api.call("GET", "/api/notification-settings")
        return reply

    def set(self, body: Mapping[str, SetNotificationSetting]) -> dict[str, NotificationSetting]:
        """Choose for some kinds; those that are left out stay as they are."""
        reply: dict[str, NotificationSetting] = self._api.call("PUT", "/api/notification-settings", body=body)
        return reply
