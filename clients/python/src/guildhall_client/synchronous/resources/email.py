"""The rows of email."""

from guildhall_client.synchronous.api import Api
from guildhall_client.types.email import EmailConfirmReply


class Email:
    """Calls of email."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def confirm(self, *, token: str) -> EmailConfirmReply:
        """Put the caller's new e-mail address in place, with the token that was mailed there."""
        reply: EmailConfirmReply = self._api.call("POST", "/api/email/confirm", fields={"token": token})
        return reply
