"""What the database tells an operator about itself."""

import asyncio

from guildhall_sdk.engines.engine import POOL_SIZE
from guildhall_testing.databases import statement
from kernel.db import Database

LOOK = statement("SELECT 1")


async def test_waiting_for_ones_turn_is_told(database: Database) -> None:
    """A turn to write on SQLite, a connection on PostgreSQL; nobody waits while there is one."""
    release = asyncio.Event()
    crowd = 1 if database.dialect == "sqlite" else POOL_SIZE

    async def write(entered: asyncio.Event) -> None:
        async with database.write() as writer:
            await writer.one(LOOK)
            entered.set()
            await release.wait()

    before, waited = database.write_scopes, database.waited_seconds
    entered = [asyncio.Event() for _ in range(crowd)]
    writing = [asyncio.create_task(write(event)) for event in entered]
    await asyncio.gather(*(event.wait() for event in entered))
    assert database.waited_seconds == waited
    late = asyncio.create_task(write(asyncio.Event()))
    for _ in range(20):
        await asyncio.sleep(0)
    release.set()
    await asyncio.gather(late, *writing)
    assert database.waited_seconds > waited
    assert database.write_scopes == before + crowd + 1
