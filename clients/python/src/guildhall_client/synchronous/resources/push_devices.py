"""The rows of push devices."""

from typing import Any

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.types.push_devices import CreatePushDeviceKeys, PushDevice, PushDeviceItem


class PushDevices:
    """Calls of push devices."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def create(
        self,
        *,
        endpoint: str,
        keys: CreatePushDeviceKeys,
        expirationTime: Any = OMITTED,
        name: str | Omitted | None = OMITTED,
    ) -> PushDeviceItem:
        """Have this browser tell the caller: a `PushSubscription` as it is, until its session is
        gone.

        `expirationTime`: What a browser says beside it; it is not looked at
        """
        reply: PushDeviceItem = self._api.call(
            "POST",
            "/api/push-devices",
            fields={"endpoint": endpoint, "expirationTime": expirationTime, "keys": keys, "name": name},
        )
        return reply

    def delete(self, id: str) -> None:
        """Have a browser tell the caller nothing any more."""
        self._api.call("DELETE", f"/api/push-devices/{segment(id)}")

    def get(self) -> PushDevice:
        """The browsers in which the caller is told, and the key that a browser subscribes with."""
        reply: PushDevice = self._api.call("GET", "/api/push-devices")
        return reply
