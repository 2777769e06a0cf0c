"""The databases that the tests of an engine open, and a table of counters in them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from guildhall_sdk.engines.engine import DatabaseEngine, DatabaseOptions
from guildhall_testing.counters import COUNTERS
from guildhall_testing.databases import statement
from kernel.db.database import ConditionOf, Database

# It reads nothing, and takes a second or so for each million.
LONG = statement(
    "WITH RECURSIVE c(x) AS ("
    "SELECT CAST(1 AS BIGINT) UNION ALL SELECT x + 1 FROM c WHERE x < CAST(:rows AS BIGINT)"
    ") SELECT COUNT(*) FROM c"
)


class EngineTests:
    """The base of all: an engine, and a database of it."""

    engine: DatabaseEngine
    #: Where nothing can be opened.
    unreachable_url: str

    @pytest.fixture
    def url(self) -> str:
        raise NotImplementedError("the fixture url gives the address of an empty database")

    @asynccontextmanager
    async def opened(
        self, url: str, condition_of: ConditionOf | None = None, **options: Any
    ) -> AsyncIterator[Database]:
        database = Database(self.engine, DatabaseOptions(url=url, **options), condition_of=condition_of)
        await database.connect()
        try:
            yield database
        finally:
            await database.disconnect()

    @pytest.fixture
    async def database(self, url: str) -> AsyncIterator[Database]:
        """Connects a database with a table of counters."""
        async with self.opened(url, patience=60) as database:
            async with database.write() as writer:
                await writer.run(COUNTERS)
            yield database
