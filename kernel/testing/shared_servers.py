"""Servers that the tests of a module share, each test in companies of its own."""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any

from kernel.testing.hall import Hall, open_hall
from kernel.testing.sites import DatabaseName, Sites
from kernel.testing.watch import Watch


class SharedServers:
    """Opens a server for each database and each choice of plugins and settings, when it is first wanted."""

    def __init__(self, sites: Sites, watch: Watch) -> None:
        self._sites, self._watch = sites, watch
        self._halls: dict[object, Hall] = {}
        self._stack = AsyncExitStack()

    async def hall(
        self, database: DatabaseName, plugins: Sequence[Any] = (), settings: Mapping[str, Any] | None = None
    ) -> Hall:
        """Returns a hall whose companies and operator nobody has met."""
        chosen = settings or {}
        key = database, tuple(map(id, plugins)), frozenset(chosen.items())
        if key not in self._halls or not self._halls[key].stock:
            opening = open_hall(self._sites, database, self._watch, plugins, stocked=True, **chosen)
            self._halls[key] = await self._stack.enter_async_context(opening)
        return self._halls[key].seen_by_others()

    async def close(self) -> None:
        await self._stack.aclose()
