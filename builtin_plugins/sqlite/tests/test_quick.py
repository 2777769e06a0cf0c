"""Quick statements: nothing tells them from others but the time they take."""

import asyncio
import sqlite3
from dataclasses import replace
from threading import Event

import pytest

from builtin_plugins.sqlite.connection import SqliteThread
from guildhall_sdk import Statement
from guildhall_testing.counters import ADD, ALL, GET, SET
from guildhall_testing.databases import Database

QUICK_ADD, QUICK_GET, QUICK_SET = (replace(one, quick=True) for one in (ADD, GET, SET))


async def seen(database: Database) -> list[tuple[str, int]]:
    async with database.read() as reader:
        return [(row["id"], row["n"]) for row in await reader.all(ALL)]


@pytest.mark.parametrize("first", [ADD, QUICK_ADD])
async def test_they_commit_with_their_scope(database: Database, first: Statement) -> None:
    async with database.write() as writer:
        await writer.run(first, id="a", n=1)
        await writer.run(QUICK_ADD, id="b", n=2)
        await writer.run(SET, id="a", n=3)
        assert await writer.value(QUICK_GET, id="a") == 3
        assert await seen_from_outside(database) == []
    assert await seen(database) == [("a", 3), ("b", 2)]


async def seen_from_outside(database: Database) -> list[tuple[str, int]]:
    """By a task of its own: inside a write scope a reader is that scope's."""
    return await asyncio.create_task(seen(database))


async def test_several_in_one_text_run_in_a_row_with_the_same_binds(database: Database) -> None:
    both = replace(QUICK_ADD, sqlite=f"{ADD.sqlite};\nUPDATE counters SET n = n + 1;\n{GET.sqlite}")
    async with database.write() as writer:
        await writer.run(QUICK_ADD, id="a", n=1)
        if database.dialect == "sqlite":
            assert await writer.value(both, id="b", n=2) == 3
            assert await database.prepare([both, replace(both, sqlite="SELECT 1; SELECT missing")]) == [
                None,
                "no such column: missing",
            ]


async def test_what_reads_for_longer_goes_to_the_thread_and_the_changes_before_it_stay(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtin_plugins.sqlite.connection._MOMENT_SECONDS", 0.0)
    counting = (
        "WITH RECURSIVE every (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM every WHERE n < 5000) "
        "SELECT COUNT(*) AS n FROM every"
    )
    slow = Statement(
        "slow", f"SELECT n FROM ({counting}) AS counted", f"SELECT n FROM ({counting}) AS counted"
    )
    async with database.write() as writer:
        await writer.run(ADD, id="a", n=1)
        for _ in range(3):  # stopped, passed over, and stopped again
            assert await writer.value(slow) == 5000
        await writer.run(ADD, id="b", n=2)
    assert await seen(database) == [("a", 1), ("b", 2)]


async def test_they_go_with_a_scope_that_fails(database: Database) -> None:
    with pytest.raises(LookupError):
        async with database.write() as writer:
            await writer.run(ADD, id="a", n=1)
            await writer.run(QUICK_ADD, id="b", n=2)
            raise LookupError
    assert await seen(database) == []


async def test_one_that_fails_takes_its_scope_along(database: Database) -> None:
    with pytest.raises(Exception, match=r"(?i)unique"):
        async with database.write() as writer:
            await writer.run(ADD, id="a", n=1)
            await writer.run(QUICK_ADD, id="a", n=2)
    with pytest.raises(RuntimeError, match="passed over"):
        async with database.write() as writer:
            await writer.run(ADD, id="a", n=1)
            with pytest.raises(Exception, match=r"(?i)unique"):
                await writer.run(QUICK_ADD, id="a", n=2)
    assert await seen(database) == []


async def test_the_thread_of_a_connection_is_idle_once_nothing_runs_on_it_any_more() -> None:
    """A statement that somebody gave up on is still at it for a while: a quick one must not come between."""
    thread = await SqliteThread(lambda: sqlite3.connect(":memory:", check_same_thread=False)).open()
    assert not thread.pending
    begun, may_end = Event(), Event()

    def slow(_: sqlite3.Connection) -> None:
        begun.set()
        may_end.wait()

    given_up, never_begun = thread.call(slow), thread.call(slow)
    await asyncio.to_thread(begun.wait)
    given_up.cancel()
    never_begun.cancel()
    await asyncio.sleep(0)
    assert thread.pending
    may_end.set()
    await thread.call(lambda _: None)
    assert not thread.pending
    assert thread.connection.execute("SELECT 1").fetchone() == (1,)
    await thread.close()
    with pytest.raises(RuntimeError, match="not connected"):
        thread.call(lambda _: None)
