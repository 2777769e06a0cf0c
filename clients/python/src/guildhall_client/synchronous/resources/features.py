"""The rows of features."""

from guildhall_client.sending import segment
from guildhall_client.synchronous.api import Api
from guildhall_client.types.features import FeatureSetReply, FeaturesList


class Features:
    """Calls of features."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def set(self, name: str, *, enabled: bool) -> FeatureSetReply:
        """Turn a feature on or off for the team.

        Needs settings:manage.
        """
        reply: FeatureSetReply = self._api.call(
            "POST", f"/api/features/{segment(name)}", fields={"enabled": enabled}
        )
        return reply

    def list(self) -> FeaturesList:
        """The team's feature flags."""
        reply: FeaturesList = self._api.call("GET", "/api/features")
        return reply
