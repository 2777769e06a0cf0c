"""Readers of SQLite are opened when that many are needed at once, and no more than there may be."""

import asyncio
import sqlite3
from typing import Any

import pytest

from builtin_plugins.sqlite.pool import READERS
from guildhall_sdk import Unavailable
from guildhall_testing.databases import Database, statement
from guildhall_testing.floods import ask, opened

pytestmark = pytest.mark.parametrize("url", ["sqlite"], indirect=True)
# Longer than it takes to open a reader.
A_WHILE = statement(
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100000) SELECT MAX(x) FROM c"
)


async def many_at_once(database: Database) -> list[Any]:
    asked = (ask(database, A_WHILE) for _ in range(READERS + 3))
    return await asyncio.gather(*asked, return_exceptions=True)


def readers_of(database: Database) -> int:
    return len(database._pool._threads) - 1  # type: ignore[attr-defined]


async def test_there_is_one_until_more_are_needed(url: str) -> None:
    async with opened(url, patience=30) as database:
        for _ in range(3):
            assert await ask(database)
        assert readers_of(database) == 1
        for _ in range(2):
            assert all(isinstance(rows, list) for rows in await many_at_once(database))
            assert readers_of(database) == READERS


async def test_one_that_cannot_be_opened_is_tried_again(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        error = sqlite3.OperationalError("unable to open database file")
        error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
        raise error

    async with opened(url, patience=30) as database:
        with monkeypatch.context() as patched:
            patched.setattr(sqlite3, "connect", refuse)
            answers = await many_at_once(database)
        assert [type(one) for one in answers].count(list) == 1
        assert sum(isinstance(one, Unavailable) for one in answers) == len(answers) - 1
        assert readers_of(database) == 1
        assert all(isinstance(rows, list) for rows in await many_at_once(database))
        assert readers_of(database) == READERS
