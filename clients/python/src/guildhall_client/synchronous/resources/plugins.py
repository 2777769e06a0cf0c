"""The rows of plugins."""

from collections.abc import Sequence

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.types.plugins import PluginApproveReply, PluginSetReply, PluginsList


class Plugins:
    """Calls of plugins."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def approve(self, id: str, *, held: Sequence[str] | Omitted = OMITTED) -> PluginApproveReply:
        """Let a plugin do what its newer version adds: permissions, routes, job kinds.

        `held`: Of what `GET /api/plugins` calls held, what to approve; all, unless given
        Needs instance:manage.
        """
        reply: PluginApproveReply = self._api.call(
            "POST", f"/api/plugins/{segment(id)}/approve", fields={"held": held}
        )
        return reply

    def set(self, id: str, *, enabled: bool) -> PluginSetReply:
        """Turn a plugin that is not essential on or off for the team.

        Needs settings:manage.
        """
        reply: PluginSetReply = self._api.call(
            "POST", f"/api/plugins/{segment(id)}", fields={"enabled": enabled}
        )
        return reply

    def list(self) -> PluginsList:
        """Every plugin with its state, what it brings and whether it is on for the team."""
        reply: PluginsList = self._api.call("GET", "/api/plugins")
        return reply
