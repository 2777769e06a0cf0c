"""The rows of mail."""

from typing import Any

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.downloads import AsyncDownload
from guildhall_client.uploads import Source


class AsyncMail:
    """Calls of mail."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    def ask_to_unsubscribe(self, *, token: str | None = None) -> AsyncDownload:
        """A page that ends mails of one kind by one click.

        `token`: From the mail
        """
        return AsyncDownload(self._api, "/api/mail/unsubscribe", query={"token": token})

    async def unsubscribe(
        self, source: Source, *, token: str | None = None, content_type: str | None = None
    ) -> Any:
        """End mails of one kind to the person whom the mail was for (RFC 8058).

        `token`: From the mail
        """
        reply: Any = await self._api.upload(
            "POST", "/api/mail/unsubscribe", source, content_type, query={"token": token}
        )
        return reply
