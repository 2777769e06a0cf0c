"""The rows of tokens."""

from collections.abc import Sequence
from typing import Literal

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.permissions import Permission
from guildhall_client.types.tokens import CreatedToken, Token, TokenPage


class Tokens:
    """Calls of tokens."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def create(
        self,
        *,
        kind: str | Omitted = OMITTED,
        name: str | Omitted = OMITTED,
        scope: Sequence[Permission] | Omitted = OMITTED,
        ttl: Literal["never"] | int | Omitted = OMITTED,
    ) -> CreatedToken:
        """Issue an API token, shown once. A scope narrows what its owner may do with it.

        `kind`: `api` unless told, or a kind that a plugin gives out
        `ttl`: Seconds, 90 days unless told, or `never`
        Needs settings:manage.
        """
        reply: CreatedToken = self._api.call(
            "POST", "/api/tokens", fields={"kind": kind, "name": name, "scope": scope, "ttl": ttl}
        )
        return reply

    def delete(self, id: str) -> None:
        """Revoke an API token.

        Needs settings:manage.
        """
        self._api.call("DELETE", f"/api/tokens/{segment(id)}")

    def list(self, *, page_size: int | None = None) -> Pages[Token, TokenPage]:
        """The team's tokens, those of connected apps too, and for who manages the company those of
        its directories; each kind newest first.

        Needs settings:manage.
        """
        return Pages(self._api, "/api/tokens", query={"limit": page_size})
