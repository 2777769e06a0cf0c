"""What the API says about push devices."""

from typing import TypedDict


class PushDeviceItem(TypedDict):
    created_at: str
    #: Of this session
    current: bool
    id: str
    name: str | None


class PushDevice(TypedDict):
    items: list[PushDeviceItem]
    next_cursor: str | None
    #: For `applicationServerKey`
    public_key: str


class CreatePushDeviceKeys(TypedDict):
    auth: str
    p256dh: str


__all__ = ["CreatePushDeviceKeys", "PushDevice", "PushDeviceItem"]
