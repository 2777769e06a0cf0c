"""The client: an address, a token, and the resources behind them."""

from types import TracebackType
from typing import Any, Self

import httpx

from guildhall_client.addresses import address_of, headers_for
from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.asynchronous.downloads import AsyncDownload
from guildhall_client.asynchronous.events import AsyncEvents
from guildhall_client.asynchronous.paging import AsyncPages
from guildhall_client.asynchronous.resources import AsyncResources
from guildhall_client.retries import Retries
from guildhall_client.sending import OMITTED

# A claim of a worker and a look at a job wait up to thirty seconds at the server.
_TIMEOUT = httpx.Timeout(60, connect=10)


class AsyncClient(AsyncResources):
    """A client of one hall, for whoever holds the token; without one, of what is public.

    `retries` says how often a request is sent again. With `transport` it is sent by something else than
    sockets. Use it with `async with`, or call `aclose`.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        retries: Retries | None = None,
        timeout: float | httpx.Timeout = _TIMEOUT,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._http = httpx.AsyncClient(
            base_url=address_of(url), headers=headers_for(token), timeout=timeout, transport=transport
        )
        self._api = AsyncApi(self._http, retries or Retries())

    def __repr__(self) -> str:
        return f"AsyncClient({str(self._http.base_url)!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        json: Any = OMITTED,
        idempotency_key: str | None = None,
    ) -> Any:
        """Calls any row, such as one of a plugin: `client.request("GET", "/api/x/lost-found/items")`."""
        return await self._api.call(method, path, query=query, body=json, idempotency_key=idempotency_key)

    def pages(self, path: str, *, query: dict[str, Any] | None = None) -> AsyncPages[Any, Any]:
        """Goes over the list of any row."""
        return AsyncPages(self._api, path, query=query)

    def events(
        self, path: str, *, query: dict[str, Any] | None = None, last_event_id: str | None = None
    ) -> AsyncEvents:
        """Follows the events of any row; with `last_event_id` from behind that one on."""
        return AsyncEvents(self._api, "GET", path, query=query, last_event_id=last_event_id)

    def download(self, path: str, *, query: dict[str, Any] | None = None) -> AsyncDownload:
        """Reads the bytes of any row."""
        return AsyncDownload(self._api, path, query=query)
