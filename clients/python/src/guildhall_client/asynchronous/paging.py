"""Lists that go over all pages, one request at a time."""

from collections.abc import AsyncIterator, Mapping
from typing import Any, Generic, TypeVar, cast

from guildhall_client.asynchronous.api import AsyncApi

Item = TypeVar("Item")
Page = TypeVar("Page")


class AsyncPages(Generic[Item, Page]):
    """The items of a list; `async for` goes over all pages, each asked for when it is needed.

    It can be gone over again, and then asks anew.
    """

    def __init__(self, api: AsyncApi, path: str, query: Mapping[str, Any] | None = None) -> None:
        self._api = api
        self._path = path
        self._query = query or {}

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in cast("Mapping[str, Any]", page)["items"]:
                yield item

    async def pages(self) -> AsyncIterator[Page]:
        """Yields whole pages: some lists tell more than their items."""
        query = dict(self._query)
        while True:
            page = await self._api.call("GET", self._path, query=query)
            yield page
            if not (cursor := page.get("next_cursor")):
                return
            query["cursor"] = cursor

    async def first(self, count: int) -> list[Item]:
        """Returns so many items at most, and asks for no page more than they take."""
        found: list[Item] = []
        if count > 0:
            async for item in self:
                found.append(item)
                if len(found) == count:
                    break
        return found
