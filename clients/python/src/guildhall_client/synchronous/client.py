"""The client: an address, a token, and the resources behind them."""

from types import TracebackType
from typing import Any, Self

import httpx

from guildhall_client.addresses import address_of, headers_for
from guildhall_client.retries import Retries
from guildhall_client.sending import OMITTED
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.downloads import Download
from guildhall_client.synchronous.events import Events
from guildhall_client.synchronous.paging import Pages
from guildhall_client.synchronous.resources import Resources

# A claim of a worker and a look at a job wait up to thirty seconds at the server.
_TIMEOUT = httpx.Timeout(60, connect=10)


class Client(Resources):
    """A client of one hall, for whoever holds the token; without one, of what is public.

    `retries` says how often a request is sent again. With `transport` it is sent by something else than
    sockets. Use it with `with`, or call `close`.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        retries: Retries | None = None,
        timeout: float | httpx.Timeout = _TIMEOUT,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._http = httpx.Client(
            base_url=address_of(url), headers=headers_for(token), timeout=timeout, transport=transport
        )
        self._api = Api(self._http, retries or Retries())

    def __repr__(self) -> str:
        return f"Client({str(self._http.base_url)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        json: Any = OMITTED,
        idempotency_key: str | None = None,
    ) -> Any:
        """Calls any row, such as one of a plugin: `client.request("GET", "/api/x/lost-found/items")`."""
        return self._api.call(method, path, query=query, body=json, idempotency_key=idempotency_key)

    def pages(self, path: str, *, query: dict[str, Any] | None = None) -> Pages[Any, Any]:
        """Goes over the list of any row."""
        return Pages(self._api, path, query=query)

    def events(
        self, path: str, *, query: dict[str, Any] | None = None, last_event_id: str | None = None
    ) -> Events:
        """Follows the events of any row; with `last_event_id` from behind that one on."""
        return Events(self._api, "GET", path, query=query, last_event_id=last_event_id)

    def download(self, path: str, *, query: dict[str, Any] | None = None) -> Download:
        """Reads the bytes of any row."""
        return Download(self._api, path, query=query)
