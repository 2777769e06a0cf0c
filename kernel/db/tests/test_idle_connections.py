"""Background work takes connections in turns; it opens another when none comes back."""

import asyncio
from typing import Any

from guildhall_testing.counters import GET
from kernel.db.database import Database
from kernel.scope import scoped
from libs import pooling


async def get(database: Database) -> Any:
    async with database.read() as reader:
        return await reader.all(GET, id="a")


async def nest(database: Database) -> None:
    async with database.read() as outer:
        await outer.all(GET, id="a")
        await get(database)


def count(database: Database) -> int:
    pool: Any = database._pool
    return len(pool._threads) if database.dialect == "sqlite" else pool._pool.get_size()


async def test_work_that_begins_at_once_takes_one_connection_in_turns(database, monkeypatch):
    monkeypatch.setattr(pooling, "_MOMENT_SECONDS", 60)
    await get(database)
    before = count(database)
    with scoped(background=True):
        await asyncio.gather(*(get(database) for _ in range(8)))
    assert count(database) == before


async def test_requests_wait_for_no_connection_of_others(database, monkeypatch):
    monkeypatch.setattr(pooling, "_MOMENT_SECONDS", 60)
    await get(database)
    before = count(database)
    await asyncio.gather(*(get(database) for _ in range(8)))
    assert count(database) > before


async def test_work_that_holds_a_connection_is_given_another(database, monkeypatch):
    monkeypatch.setattr(pooling, "_MOMENT_SECONDS", 60)
    with scoped(background=True):
        async with asyncio.timeout(60):
            await nest(database)


async def test_what_does_not_come_back_in_a_moment_is_not_waited_for(database, monkeypatch):
    monkeypatch.setattr(pooling, "_MOMENT_SECONDS", 0.01)
    async with database.read() as reader:
        await reader.all(GET, id="a")
        with scoped(background=True):
            assert await asyncio.wait_for(asyncio.create_task(get(database)), 60) == []
