"""What the database tells an operator about itself."""

import asyncio

from guildhall_testing.databases import database_at, statement
from kernel.db.database import Database

LOOK = statement("SELECT 1")
CONNECTIONS = 2


async def test_waiting_for_ones_turn_is_told(url: str) -> None:
    """A turn to write on SQLite, a connection on PostgreSQL; nobody waits while there is one."""
    database = database_at(url, pool_size=CONNECTIONS)
    await database.connect()
    try:
        await tell_of_waiting(database)
    finally:
        await database.disconnect()


async def tell_of_waiting(database: Database) -> None:
    release = asyncio.Event()
    crowd = 1 if database.dialect == "sqlite" else CONNECTIONS

    async def write(entered: asyncio.Event) -> None:
        async with database.write() as writer:
            await writer.one(LOOK)
            entered.set()
            await release.wait()

    before, waited = database.write_scopes, database.pool.waited_seconds
    entered = [asyncio.Event() for _ in range(crowd)]
    async with asyncio.TaskGroup() as writing:
        for event in entered:
            writing.create_task(write(event))
        await asyncio.gather(*(event.wait() for event in entered))
        assert database.pool.waited_seconds == waited
        writing.create_task(write(asyncio.Event()))
        for _ in range(20):
            await asyncio.sleep(0)
        release.set()
    assert database.pool.waited_seconds > waited
    assert database.write_scopes == before + crowd + 1
