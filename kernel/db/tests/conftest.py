"""Both databases for the tests of kernel/db; a test that asks for `database` runs once on each."""

import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from guildhall_sdk import Statement
from guildhall_sdk.engines.engine import DatabaseUnreachable
from kernel.db import Database
from kernel.testing.databases import database_at
from kernel.testing.postgres import session_server

if TYPE_CHECKING:
    from kernel.db.tests.lines import HeldCommit, Line


def statement(text: str) -> Statement:
    return Statement("of_a_test", text, text)


COUNTER_TABLE = "CREATE TABLE counters (id TEXT PRIMARY KEY, n BIGINT NOT NULL)"
ADD = statement("INSERT INTO counters (id, n) VALUES (:id, :n)")
GET = statement("SELECT n FROM counters WHERE id = :id")
SET = statement("UPDATE counters SET n = :n WHERE id = :id")
ALL = statement("SELECT id, n FROM counters ORDER BY id")


def damage(file: Path, *tables: str) -> None:
    """Overwrites the first pages of tables and of their indexes, as a copy of a file in use has them."""
    with sqlite3.connect(file) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        found = connection.execute("SELECT tbl_name, rootpage FROM sqlite_master").fetchall()
    with file.open("r+b") as opened:
        for page in [page for table, page in found if table in tables]:
            opened.seek((page - 1) * size)
            opened.write(b"\xa5" * size)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/data/guildhall.db"
    else:
        server = session_server()
        made = server.create_database()
        yield made
        server.drop_database(made)


async def connect(database: Database) -> None:
    """Connects an impatient database, however long this machine takes for it under load."""
    for _ in range(20):
        with suppress(DatabaseUnreachable):
            await database.connect()
            return
    raise AssertionError(f"{database.place} cannot be reached")


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    """Connected, impatient, with a table of counters."""
    opened = database_at(url, patience=0.3)
    await connect(opened)
    async with opened.write() as writer:
        await writer.run(statement(COUNTER_TABLE))
    yield opened
    await opened.disconnect()


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The text of every COMMIT that any connection runs."""
    seen: list[str] = []
    connect = sqlite3.connect

    def traced(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        connection.set_trace_callback(lambda text: seen.append(text) if text == "COMMIT" else None)
        return connection

    monkeypatch.setattr(sqlite3, "connect", traced)
    return seen


@pytest.fixture
def without_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """No group is committed because it is overdue, however slow the machine is."""
    monkeypatch.setattr("builtin_plugins.sqlite.write_group.MAX_WAIT_SECONDS", 3600)


@pytest.fixture
def held_commit(monkeypatch: pytest.MonkeyPatch) -> "Iterator[HeldCommit]":
    from kernel.db.tests.lines import HeldCommit

    held = HeldCommit()
    monkeypatch.setattr("builtin_plugins.sqlite.write_group.commit", held)
    yield held
    held.may_go_on.set()


@pytest.fixture
async def line(url: str, commits: list[str]) -> "AsyncIterator[Line]":
    from kernel.db.tests.lines import ORPHANS, Line

    database = database_at(url, statement_seconds=0.3)
    await database.connect()
    async with database.write() as writer:
        await writer.run(statement(COUNTER_TABLE))
        await writer.run(ORPHANS)
    commits.clear()
    yield Line(database)
    await database.disconnect()
