"""The rows of mail."""

from typing import Any

from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.downloads import Download
from guildhall_client.uploads import Source


class Mail:
    """Calls of mail."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def ask_to_unsubscribe(self, *, token: str | None = None) -> Download:
        """A page that ends mails of one kind by one click.

        `token`: From the mail
        """
        return Download(self._api, "/api/mail/unsubscribe", query={"token": token})

    def unsubscribe(
        self, source: Source, *, token: str | None = None, content_type: str | None = None
    ) -> Any:
        """End mails of one kind to the person whom the mail was for (RFC 8058).

        `token`: From the mail
        """
        reply: Any = self._api.upload(
            "POST", "/api/mail/unsubscribe", source, content_type, query={"token": token}
        )
        return reply
