"""Both databases for the tests of the door; a test that asks for `database` runs once on each."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from guildhall_sdk import Statement
from kernel.db import Database
from kernel.testing.postgres import session_server


def statement(text: str) -> Statement:
    return Statement("of_a_test", text, text)


COUNTER_TABLE = "CREATE TABLE counters (id TEXT PRIMARY KEY, n BIGINT NOT NULL)"
ADD = statement("INSERT INTO counters (id, n) VALUES (:id, :n)")
GET = statement("SELECT n FROM counters WHERE id = :id")
SET = statement("UPDATE counters SET n = :n WHERE id = :id")
ALL = statement("SELECT id, n FROM counters ORDER BY id")


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/data/guildhall.db"
    else:
        server = session_server()
        made = server.create_database()
        yield made
        server.drop_database(made)


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    """Connected, impatient, with a table of counters."""
    opened = Database(url, patience=0.3)
    await opened.connect()
    async with opened.write() as writer:
        await writer.run(statement(COUNTER_TABLE))
    yield opened
    await opened.disconnect()
