"""The rows of email."""

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.types.email import EmailConfirmReply


class AsyncEmail:
    """Calls of email."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def confirm(self, *, token: str) -> EmailConfirmReply:
        """Put the caller's new e-mail address in place, with the token that was mailed there."""
        reply: EmailConfirmReply = await self._api.call("POST", "/api/email/confirm", fields={"token": token})
        return reply
