"""The rows of features."""

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.sending import segment
from guildhall_client.types.features import FeatureSetReply, FeaturesList


class AsyncFeatures:
    """Calls of features."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def set(self, name: str, *, enabled: bool) -> FeatureSetReply:
        """Turn a feature on or off for the team.

        Needs settings:manage.
        """
        reply: FeatureSetReply = await self._api.call(
            "POST", f"/api/features/{segment(name)}", fields={"enabled": enabled}
        )
        return reply

    async def list(self) -> FeaturesList:
        """The team's feature flags."""
        reply: FeaturesList = await self._api.call("GET", "/api/features")
        return reply
