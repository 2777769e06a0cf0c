"""A table of counters on a database of each engine: what the tests of engines and scopes write and read."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from guildhall_testing.databases import database_at, statement
from guildhall_testing.postgres import session_server
from kernel.db.database import Database

COUNTERS = statement("CREATE TABLE counters (id TEXT PRIMARY KEY, n BIGINT NOT NULL)")
ADD = statement("INSERT INTO counters (id, n) VALUES (:id, :n)")
GET = statement("SELECT n FROM counters WHERE id = :id")
SET = statement("UPDATE counters SET n = :n WHERE id = :id")
ALL = statement("SELECT id, n FROM counters ORDER BY id")


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Yields the address of an empty database; a test that asks for it runs once on each engine."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/data/guildhall.db"
    else:
        server = session_server()
        made = server.create_database()
        yield made
        server.drop_database(made)


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    """Yields a database that is connected and impatient, with a table of counters."""
    opened = database_at(url, patience=0.3)
    await opened.connect()
    async with opened.write() as writer:
        await writer.run(COUNTERS)
    yield opened
    await opened.disconnect()


async def counters(database: Database) -> dict[str, int]:
    async with database.read() as reader:
        return {row["id"]: row["n"] for row in await reader.all(ALL)}
