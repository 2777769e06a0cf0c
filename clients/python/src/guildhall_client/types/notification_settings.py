"""What the API says about notification settings."""

from typing import Literal, NotRequired, TypedDict


class NotificationSetting(TypedDict):
    #: When a mail says so
    mail: Literal["at_once", "daily", "never"]
    #: Whether the browser says so on this person's device
    push: bool


class SetNotificationSetting(TypedDict):
    #: When a mail says so
    mail: NotRequired[Literal["at_once", "daily", "never"]]
    #: Whether the browser says so on this person's device
    push: NotRequired[bool]


__all__ = ["NotificationSetting", "SetNotificationSetting"]
