"""A database that cannot take a statement just now answers 503, and serves again when it can."""

import asyncio
import contextvars
import os
import sqlite3
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from guildhall_sdk import Unavailable
from guildhall_sdk.engines.engine import DatabaseOptions, DatabaseUnreachable
from guildhall_testing.counters import ADD, GET, SET
from guildhall_testing.databases import database_at, statement
from guildhall_testing.postgres import session_server
from kernel.db.database import Database

sqlite_only = pytest.mark.parametrize("url", ["sqlite"], indirect=True)
postgresql_only = pytest.mark.parametrize("url", ["postgresql"], indirect=True)


def elsewhere(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """A task that is no child of the scope it is started in, as another request would be."""
    return asyncio.get_running_loop().create_task(work, context=contextvars.Context())


async def set_counter(database: Database, n: int) -> None:
    async with database.write() as writer:
        await writer.run(SET, id="a", n=n)


def assert_asks_to_retry(error: Unavailable) -> None:
    assert (error.status, error.code, error.headers) == (503, "unavailable", {"Retry-After": "1"})


async def test_a_held_row_is_a_503_and_readers_go_on(database: Database) -> None:
    async with database.write() as writer:
        await writer.run(ADD, id="a", n=1)
    async with database.write() as holder:
        await holder.run(SET, id="a", n=2)
        with pytest.raises(Unavailable) as caught:
            await elsewhere(set_counter(database, 3))
        assert_asks_to_retry(caught.value)

        async def look() -> Any:
            async with database.read() as reader:
                return await reader.value(GET, id="a")

        assert await elsewhere(look()) == 1
    await set_counter(database, 4)
    assert await look() == 4


@sqlite_only
async def test_a_file_locked_by_somebody_else_is_a_503(database: Database, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "data" / "guildhall.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable) as caught:
        await set_counter(database, 1)
    assert_asks_to_retry(caught.value)
    await database.ping()
    other.execute("ROLLBACK")
    other.close()
    async with database.write() as writer:
        await writer.run(ADD, id="a", n=1)


@sqlite_only
async def test_a_quick_statement_waits_for_another_process_and_holds_nobody_up(
    url: str, tmp_path: Path
) -> None:
    database = database_at(url, patience=30)
    await database.connect()
    async with database.write() as writer:
        await writer.run(statement("CREATE TABLE counters (id TEXT PRIMARY KEY, n BIGINT)"))
    other = sqlite3.connect(tmp_path / "data" / "guildhall.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def add_quickly(key: str) -> None:
        async with database.write() as writer:
            await writer.run(replace(ADD, quick=True), id=key, n=1)

    waiting = asyncio.create_task(add_quickly("a"))
    await database.ping()
    assert not waiting.done()
    other.execute("COMMIT")
    other.close()
    await waiting
    await add_quickly("b")
    async with database.read() as reader:
        assert [await reader.value(GET, id=key) for key in "ab"] == [1, 1]
    await database.disconnect()


@postgresql_only
@pytest.mark.parametrize("code", ["40001", "40P01", "55P03", "53100", "08006"])
async def test_a_passing_trouble_of_postgresql_is_a_503(database: Database, code: str) -> None:
    trouble = statement(f"DO $$ BEGIN RAISE EXCEPTION 'trouble' USING ERRCODE = '{code}'; END $$")
    with pytest.raises(Unavailable) as caught:
        async with database.write() as writer:
            await writer.run(ADD, id="a", n=1)
            await writer.run(trouble)
    assert_asks_to_retry(caught.value)
    async with database.write() as writer:
        await writer.run(ADD, id="a", n=1)


@postgresql_only
async def test_one_of_two_in_a_deadlock_gets_a_503_and_the_other_commits(url: str) -> None:
    database = database_at(url, patience=30)
    await database.connect()
    async with database.write() as writer:
        await writer.run(statement("CREATE TABLE counters (id TEXT PRIMARY KEY, n BIGINT)"))
        await writer.run(ADD, id="a", n=0)
        await writer.run(ADD, id="b", n=0)
    both_hold_one = asyncio.Barrier(2)

    async def cross(first: str, second: str) -> None:
        async with database.write() as writer:
            await writer.run(SET, id=first, n=1)
            await both_hold_one.wait()
            await writer.run(SET, id=second, n=1)

    outcomes = await asyncio.gather(cross("a", "b"), cross("b", "a"), return_exceptions=True)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["DatabaseBusy", "NoneType"]
    async with database.read() as reader:
        assert [await reader.value(GET, id=key) for key in "ab"] == [1, 1]
    await database.disconnect()


@postgresql_only
async def test_a_lost_connection_is_a_503_and_is_replaced(url: str, database: Database) -> None:
    admin = await asyncpg.connect(url)
    for scope in (database.write, database.read):
        with pytest.raises(Unavailable):
            async with scope() as open_scope:
                backend = await open_scope.value(statement("SELECT pg_backend_pid()"))
                await admin.fetch("SELECT pg_terminate_backend($1, 10000)", backend)
                await open_scope.one(GET, id="a")
        await database.ping()
    await admin.close()


@postgresql_only
async def test_more_scopes_than_connections_wait_and_then_get_a_503(database: Database) -> None:
    enough = asyncio.Event()
    holding = asyncio.Semaphore(0)

    async def hold() -> None:
        async with database.read() as reader:
            await reader.one(GET, id="a")
            holding.release()
            await enough.wait()

    holders = [asyncio.create_task(hold()) for _ in range(DatabaseOptions(url="").pool_size)]
    for _ in holders:
        await holding.acquire()
    with pytest.raises(Unavailable):
        await database.ping()
    enough.set()
    await asyncio.gather(*holders)
    await database.ping()


@postgresql_only
async def test_a_held_connection_does_not_hold_up_the_disconnect(database: Database) -> None:
    async with database.read() as reader:
        await reader.one(GET, id="a")
        await database.disconnect()
    await database.connect()
    await database.ping()


@pytest.mark.parametrize(
    ("bad_url", "says"),
    [
        ("postgresql://ada:sesame@127.0.0.1:1/guildhall", "guildhall at 127.0.0.1 cannot be reached"),
        ("postgresql://ada:sesame@/guildhall?host=/nowhere/at/all", "cannot be reached"),
        ("postgresql://ada:se/same@127.0.0.1/guildhall", "not well formed"),
        ("postgresql://ada:sesame@127.0.0.1:port/guildhall", "not well formed"),
        ("sqlite://", "names a file"),
        ("sqlite:///:memory:", "names a file"),
        ("sqlite:///data/guildhall.db?mode=ro", "takes no options"),
        ("sqlite:////proc/nowhere/guildhall.db", "cannot be opened"),
    ],
)
async def test_an_unreachable_database_is_one_line_without_the_password(bad_url: str, says: str) -> None:
    with pytest.raises(DatabaseUnreachable, match=says) as caught:
        await database_at(bad_url).connect()
    line = str(caught.value)
    assert "\n" not in line
    assert "same" not in line


async def test_connecting_logs_no_url(url: str, caplog: pytest.LogCaptureFixture) -> None:
    """A password may stand in its query, where nobody would look for it."""
    caplog.set_level("DEBUG")
    database = database_at(url)
    await database.connect()
    await database.disconnect()
    assert url not in caplog.text
    assert "Connected to database" not in caplog.text


@postgresql_only
async def test_a_missing_postgresql_database_is_one_line(url: str) -> None:
    session_server().drop_database(url)
    with pytest.raises(DatabaseUnreachable, match="does not exist"):
        await database_at(url).connect()


@postgresql_only
async def test_who_waits_for_a_lock_in_vain_hears_it_and_the_log_says_what_it_was(
    url: str, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    other = database_at(url)
    await other.connect()
    async with other.write() as holder:
        await holder.serialize("object:tea_1:salaries.txt")
        with pytest.raises(Unavailable) as refusal:
            async with database.write() as writer:
                await writer.serialize("object:tea_1:salaries.txt")
        assert_asks_to_retry(refusal.value)
        assert "Another change to the same data is under way" in str(refusal.value)
        async with asyncio.timeout(60):
            while not (lines := [one for one in caplog.records if one.msg == "db.lock_waited"]):  # noqa: ASYNC110
                await asyncio.sleep(0.01)  # a task of its own says it
    await other.disconnect()
    fields = lines[0].fields  # type: ignore[attr-defined]
    assert fields["waited_for"] == "object:tea_1"
    (found,) = fields["open_transactions"]
    assert found["state"] == "idle in transaction"
    assert found["application"].endswith(f" {os.getpid()}")
