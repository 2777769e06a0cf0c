"""Servers that the tests of a module share, each test in companies of its own."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from guildhall_testing.hall import Hall, open_hall
from guildhall_testing.sites import DatabaseName, Sites
from guildhall_testing.watch import Watch

# A job that a failed test keeps waiting would hold up all others.
_SETTLING_SECONDS = 60


class SharedServers:
    """Opens a server for each database and each choice of plugins and options, when it is first wanted."""

    def __init__(self, sites: Sites, watch: Watch) -> None:
        self._sites, self._watch = sites, watch
        self._halls: dict[object, Hall] = {}
        self._plugins: list[Any] = []  # for as long as their ids tell them apart
        self._stack = AsyncExitStack()

    @asynccontextmanager
    async def visit(
        self, database: DatabaseName, plugins: Sequence[Any] = (), options: Mapping[str, Any] | None = None
    ) -> AsyncIterator[Hall]:
        """Lends a hall, and waits until nothing of the test is left to do in it."""
        hall = await self.hall(database, plugins, options)
        try:
            yield hall
        finally:
            await hall.close()
            await self._settle(hall)

    async def _settle(self, hall: Hall) -> None:
        try:
            async with asyncio.timeout(_SETTLING_SECONDS):
                await hall.drain_jobs()
        except TimeoutError:
            self._halls = {key: one for key, one in self._halls.items() if one.server is not hall.server}
            raise

    async def hall(
        self, database: DatabaseName, plugins: Sequence[Any] = (), options: Mapping[str, Any] | None = None
    ) -> Hall:
        """Returns a hall whose companies and operator nobody has met, and whose model has no script.

        `options` are those of `open_hall`: settings, and `with_model`.
        """
        chosen = options or {}
        key = database, tuple(map(id, plugins)), frozenset(chosen.items())
        if key not in self._halls or not self._halls[key].spares:
            self._plugins.extend(plugins)
            opening = open_hall(self._sites, database, self._watch, plugins, with_spares=True, **chosen)
            self._halls[key] = await self._stack.enter_async_context(opening)
        return self._halls[key].seen_by_others()

    async def close(self) -> None:
        await self._stack.aclose()
