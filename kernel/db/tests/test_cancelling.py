"""A cancelled caller leaves no open transaction and no connection behind."""

import asyncio
import contextvars
from collections.abc import Awaitable

import pytest

from guildhall_sdk.engines.engine import DatabaseOptions
from guildhall_testing.counters import ADD, ALL, GET, SET
from guildhall_testing.floods import ENDLESS
from kernel.db.database import Database

_POOL_SIZE = DatabaseOptions(url="").pool_size
# Longer than any test would wait: only a cancel that reaches the database ends them.


async def cancel_after(started: asyncio.Event, work: Awaitable[None], times: int = 1) -> None:
    task = asyncio.ensure_future(work)
    await started.wait()
    for _ in range(times):
        await asyncio.sleep(0)
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def assert_unharmed(database: Database, expected: list[tuple[str, int]]) -> None:
    """Every connection still serves, and what is seen is what was committed."""
    async with database.write() as writer:
        await writer.run(ADD, id="probe", n=0)
    await asyncio.gather(*(database.ping() for _ in range(_POOL_SIZE * 2)))
    async with database.read() as reader:
        rows = await reader.all(ALL)
    assert [(row["id"], row["n"]) for row in rows if row["id"] != "probe"] == expected


@pytest.mark.parametrize("times", [1, 3])
async def test_cancelled_between_statements(database: Database, times: int) -> None:
    started = asyncio.Event()

    async def work() -> None:
        async with database.write() as writer:
            await writer.run(ADD, id="a", n=1)
            started.set()
            await asyncio.Event().wait()

    await cancel_after(started, work(), times)
    await assert_unharmed(database, [])


@pytest.mark.parametrize("times", [1, 3])
async def test_cancelled_in_the_middle_of_a_statement(database: Database, times: int) -> None:
    started = asyncio.Event()

    async def work() -> None:
        async with database.write() as writer:
            await writer.run(ADD, id="a", n=1)
            started.set()
            await writer.one(ENDLESS[database.dialect])

    await cancel_after(started, work(), times)
    await assert_unharmed(database, [])


async def test_cancelled_at_the_first_statement(database: Database) -> None:
    started = asyncio.Event()

    async def work() -> None:
        async with database.write() as writer:
            started.set()
            await writer.run(ADD, id="a", n=1)

    await cancel_after(started, work())
    await assert_unharmed(database, [])


async def test_cancelled_while_waiting_for_its_turn(database: Database) -> None:
    async with database.write() as writer:
        await writer.run(ADD, id="a", n=1)
    async with database.write() as holder:
        await holder.run(SET, id="a", n=2)
        started = asyncio.Event()

        async def work() -> None:
            started.set()
            async with database.write() as writer:
                await writer.run(SET, id="a", n=3)

        # A task with an empty context: it is no child of this scope.
        waiting = asyncio.get_running_loop().create_task(work(), context=contextvars.Context())
        await cancel_after(started, waiting)
    await assert_unharmed(database, [("a", 2)])


async def test_cancelled_readers_leave_no_connection_behind(database: Database) -> None:
    for _ in range(_POOL_SIZE + 2):
        started = asyncio.Event()

        async def work(started: asyncio.Event = started) -> None:
            async with database.read() as reader:
                await reader.one(GET, id="a")
                started.set()
                await reader.one(ENDLESS[database.dialect])

        await cancel_after(started, work())
    await assert_unharmed(database, [])


async def test_a_commit_is_whole_or_absent_wherever_it_is_cancelled(database: Database) -> None:
    """Cancels at every step of the loop that a write takes, from its first to beyond its last."""
    outcomes = set()
    for steps in range(40):
        key = f"{steps:02d}"

        async def work(key: str = key) -> None:
            async with database.write() as writer:
                await writer.run(ADD, id=f"{key}x", n=steps)  # noqa: B023
                await writer.run(ADD, id=f"{key}y", n=steps)  # noqa: B023

        task = asyncio.create_task(work())
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        async with database.write() as writer:
            seen = [row["id"] for row in await writer.all(ALL) if row["id"].startswith(key)]
        assert seen in ([], [f"{key}x", f"{key}y"])
        assert task.cancelled() or seen
        outcomes.add((task.cancelled(), bool(seen)))
    assert (True, False) in outcomes


async def test_a_scope_timed_out_inside_commits_nothing(database: Database) -> None:
    with pytest.raises(RuntimeError, match="nothing was changed"):
        async with database.write() as writer:
            await writer.run(ADD, id="a", n=1)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await writer.one(ENDLESS[database.dialect])
    await assert_unharmed(database, [])


async def test_many_scopes_cancelled_at_once(database: Database) -> None:
    async def work(key: str) -> None:
        async with database.write() as writer:
            await writer.run(ADD, id=key, n=1)
            await asyncio.Event().wait()

    tasks = [asyncio.create_task(work(str(n))) for n in range(30)]
    for _ in range(20):
        await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await assert_unharmed(database, [])
