"""Writers of one company on PostgreSQL free their locks first and wait for the disk together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from builtin_plugins.postgresql.pool import PostgresPool
from guildhall_sdk import Unavailable
from guildhall_testing.accounts import GLOBEX
from guildhall_testing.counters import ADD, ALL, COUNTERS, GET
from guildhall_testing.databases import Database, database_at, statement
from guildhall_testing.lines import Line, settle

pytestmark = pytest.mark.parametrize("url", ["postgresql"], indirect=True)
LOG_WRITTEN = statement("SELECT pg_current_wal_insert_lsn()::text")
LOG_SINCE = "SELECT pg_current_wal_flush_lsn() > CAST(:since AS TEXT)::pg_lsn"


class HeldFlush:
    """A flush that waits until it may go on, or fails."""

    def __init__(self, flush: Any) -> None:
        self._flush = flush
        self.begun, self.may_go_on = asyncio.Event(), asyncio.Event()
        self.count = 0
        self.error: Exception | None = None

    async def __call__(self, pool: PostgresPool) -> None:
        self.count += 1
        self.begun.set()
        await self.may_go_on.wait()
        if self.error is not None:
            raise self.error
        await self._flush(pool)


@pytest.fixture
def held_flush(monkeypatch: pytest.MonkeyPatch) -> HeldFlush:
    held = HeldFlush(PostgresPool._flush)
    monkeypatch.setattr(PostgresPool, "_flush", lambda pool: held(pool))
    return held


@pytest.fixture
async def durable(url: str) -> AsyncIterator[Database]:
    """As real installations have it: a commit waits for the log."""
    admin = await asyncpg.connect(url)
    await admin.execute(
        f'ALTER DATABASE "{await admin.fetchval("SELECT current_database()")}" SET synchronous_commit TO on'
    )
    await admin.close()
    database = database_at(url)
    await database.connect()
    async with database.write() as writer:
        await writer.run(COUNTERS)
    yield database
    await database.disconnect()


@asynccontextmanager
async def holding(line: Line) -> AsyncIterator[None]:
    """Inside, another writer of the same company has a transaction open."""
    begun, enough = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        async with line.database.write() as writer:
            await writer.run(ADD, id="holder", n=1)
            begun.set()
            await enough.wait()

    await line.queue("holder", hold())
    await begun.wait()
    try:
        yield
    finally:
        enough.set()


async def test_whoever_is_answered_is_on_the_disk(durable: Database) -> None:
    line = Line(durable)

    async def write(name: str) -> None:
        async with durable.write() as writer:
            await writer.serialize("the quota of a company")
            await writer.run(ADD, id=name, n=1)
            since = await writer.value(LOG_WRITTEN)
        async with durable.read() as reader:
            assert await reader.value(statement(LOG_SINCE), since=since)

    for number in range(24):
        await line.queue(str(number), write(str(number)))
    assert set((await line.outcomes()).values()) == {None}


async def test_locks_are_free_before_the_disk_has_it_and_success_comes_after(
    held_flush: HeldFlush, durable: Database
) -> None:
    line = Line(durable)

    async def serialize(writer: Any) -> None:
        await writer.serialize("the quota of a company")

    async with holding(line):
        await line.queue("a", line.write("a", serialize))
        await held_flush.begun.wait()
        await line.queue("b", line.write("b", serialize))
        while "b" not in await line.written():
            assert not line.tasks["b"].done()
        assert not line.tasks["a"].done()
        assert line.callbacks == []
        held_flush.may_go_on.set()
        await line.tasks["a"]
        await line.tasks["b"]
    assert set((await line.outcomes()).values()) == {None}
    assert sorted(line.callbacks) == ["a", "b"]


async def test_one_flush_serves_all_who_came_before_it(held_flush: HeldFlush, durable: Database) -> None:
    line = Line(durable)
    async with holding(line):
        await line.queue("a", line.write("a"))
        await held_flush.begun.wait()
        for name in "bcdefg":
            await line.queue(name, line.write(name))
        while not set("abcdefg") <= await line.written():
            await settle()
        held_flush.may_go_on.set()
        await asyncio.gather(*(line.tasks[name] for name in "abcdefg"))
    await line.outcomes()
    assert held_flush.count == 2


async def test_a_writer_alone_in_its_company_waits_for_its_own_commit(
    held_flush: HeldFlush, durable: Database
) -> None:
    line = Line(durable)
    async with holding(line):
        await line.queue("other", line.write("other"), GLOBEX)
        await line.tasks["other"]
    await line.outcomes()
    assert held_flush.count == 0
    assert await line.written() == {"holder", "other"}


async def test_a_flush_that_fails_answers_nobody_with_success_and_the_next_does(
    held_flush: HeldFlush, durable: Database
) -> None:
    line = Line(durable)
    held_flush.may_go_on.set()
    held_flush.error = Unavailable("the connection is lost")
    async with holding(line):
        await line.queue("a", line.write("a"))
        with pytest.raises(Unavailable, match="cannot take this just now"):
            await line.tasks["a"]
        assert line.callbacks == []
        held_flush.error = None
        await line.queue("b", line.write("b"))
        await line.tasks["b"]
    assert line.callbacks == ["b"]
    del line.tasks["a"]
    await line.outcomes()


async def test_whoever_is_cancelled_while_waiting_for_the_disk_has_written(
    held_flush: HeldFlush, durable: Database
) -> None:
    line = Line(durable)
    async with holding(line):
        await line.queue("gone", line.write("gone"))
        await held_flush.begun.wait()
        line.tasks["gone"].cancel()
        await settle()
        assert line.tasks["gone"].cancelled()
        assert line.callbacks == []
        held_flush.may_go_on.set()
        await line.queue("b", line.write("b"))
        await line.tasks["b"]
    assert sorted(line.callbacks) == ["b", "gone"]
    await line.outcomes()
    async with durable.read() as reader:
        assert {row["id"] for row in await reader.all(ALL)} == {"holder", "gone", "b"}


async def test_a_transaction_that_failed_is_not_flushed_for(held_flush: HeldFlush, durable: Database) -> None:
    line = Line(durable)
    async with holding(line):
        with pytest.raises(Exception, match=r"(?i)unique"):
            await line.write("a", lambda writer: writer.run(ADD, id="a", n=2))
        with pytest.raises(RuntimeError, match="nothing was changed"):
            await line.write("b", _pass_over_a_failure)
    await line.outcomes()
    assert held_flush.count == 0
    assert await line.written() == {"holder"}


async def _pass_over_a_failure(writer: Any) -> None:
    with pytest.raises(Exception, match=r"(?i)unique"):
        await writer.run(ADD, id="b", n=2)


async def test_the_disconnect_waits_for_the_disk(held_flush: HeldFlush, durable: Database) -> None:
    line = Line(durable)
    async with holding(line):
        await line.queue("a", line.write("a"))
        await held_flush.begun.wait()
    await line.tasks["holder"]
    asyncio.get_running_loop().call_later(0.05, held_flush.may_go_on.set)
    await durable.disconnect()
    await line.tasks["a"]
    await durable.connect()
    assert await line.written() == {"a", "holder"}


async def test_whoever_is_apart_sees_nothing_that_could_still_be_lost(
    held_flush: HeldFlush, durable: Database
) -> None:
    line, seen = Line(durable), list[Any]()

    async def act() -> None:
        async with durable.write(apart=True) as writer:
            seen.append(await writer.value(GET, id="a"))

    async with holding(line):
        await line.queue("a", line.write("a"))
        await held_flush.begun.wait()
        await line.queue("apart", act())
        await line.queue("other", act())
        while not len(durable._pool.flushes._waiting):  # type: ignore[attr-defined]
            await settle()
        assert seen == []
        held_flush.may_go_on.set()
        await line.tasks["apart"]
    await line.outcomes()
    assert seen == [1, 1]


async def test_those_apart_do_not_wait_for_one_another_with_few_connections(
    url: str, durable: Database
) -> None:
    few = database_at(url, pool_size=2)
    await few.connect()
    line = Line(few)

    async def act() -> None:
        async with few.write(apart=True) as writer:
            await writer.value(GET, id="a")

    for number in range(6):
        await line.queue(str(number), act())
    assert set((await line.outcomes()).values()) == {None}
    await few.disconnect()


async def test_a_flush_comes_back_when_the_disk_has_it(held_flush: HeldFlush, durable: Database) -> None:
    flushing = asyncio.create_task(durable.flush())
    await held_flush.begun.wait()
    await settle()
    assert not flushing.done()
    held_flush.may_go_on.set()
    await flushing


async def test_with_two_connections_nobody_needs_one_after_the_commit(url: str, durable: Database) -> None:
    """Companies may have both for longer than a flush waits: what is committed is answered all the same."""
    small = database_at(url, pool_size=2, patience=0.2)
    await small.connect()
    line, enough = Line(small), asyncio.Event()

    async def keep_a_connection() -> None:
        async with small.read() as reader:
            await reader.all(ALL)
            await enough.wait()

    await line.queue("globex", keep_a_connection(), GLOBEX)
    await line.queue("a", line.write("a"))
    await line.queue("next", keep_a_connection())
    await line.queue("last", line.write("last"))
    await asyncio.wait([line.tasks["a"], line.tasks["last"]])
    enough.set()
    outcomes = await line.outcomes()
    assert outcomes["a"] is None
    assert isinstance(outcomes["last"], Unavailable)
    assert await line.written() == {"a"}
    await small.disconnect()


async def test_what_need_not_be_durable_waits_for_no_flush(durable: Database, held_flush: HeldFlush) -> None:
    async with durable.write(durable=False) as writer:
        await writer.run(ADD, id="soon", n=1)
    async with durable.read() as reader:
        assert await reader.value(GET, id="soon") == 1
    assert held_flush.count == 0
