"""The databases of kernel/db/tests, with commits that are counted and held, and writers that wait in line."""

import sqlite3
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from builtin_plugins.sqlite.tests.held_commits import HeldCommit
from guildhall_testing.counters import COUNTERS, database, url
from guildhall_testing.databases import database_at
from guildhall_testing.lines import ORPHANS, Line

__all__ = ["database", "url"]


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
def held_commit(monkeypatch: pytest.MonkeyPatch) -> Iterator[HeldCommit]:
    held = HeldCommit()
    monkeypatch.setattr("builtin_plugins.sqlite.write_group.commit", held)
    yield held
    held.may_go_on.set()


@pytest.fixture
async def line(url: str, commits: list[str]) -> AsyncIterator[Line]:
    database = database_at(url, statement_seconds=0.3)
    await database.connect()
    async with database.write() as writer:
        await writer.run(COUNTERS)
        await writer.run(ORPHANS)
    commits.clear()
    yield Line(database)
    await database.disconnect()
