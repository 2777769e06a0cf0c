"""The rows of team secrets."""

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.sending import segment
from guildhall_client.types.team_secrets import TeamSecret, TeamSecretItem


class AsyncTeamSecrets:
    """Calls of team secrets."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def delete(self, name: str) -> None:
        """Delete a secret; what uses it fails from then on.

        Needs settings:manage.
        """
        await self._api.call("DELETE", f"/api/team-secrets/{segment(name)}")

    async def get(self) -> TeamSecret:
        """The names of the team's secrets, all of them; what they hold is shown to nobody.

        Needs workflows:read.
        """
        reply: TeamSecret = await self._api.call("GET", "/api/team-secrets")
        return reply

    async def update(self, name: str, *, value: str) -> TeamSecretItem:
        """Store a secret of the team under a name, in place of the one that is there.

        `value`: The secret; it is never shown again
        Needs settings:manage.
        """
        reply: TeamSecretItem = await self._api.call(
            "PUT", f"/api/team-secrets/{segment(name)}", fields={"value": value}
        )
        return reply
