"""One company that asks without end, and how long others wait for it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from guildhall_testing.accounts import ACME, on_account_of
from guildhall_testing.counters import ADD, COUNTERS, GET
from guildhall_testing.databases import database_at, statement
from kernel.db.database import Database

TWENTY = 20
LONG_GET = replace(GET, long=True)
ENDLESS = {
    "sqlite": statement(
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000000000)"
        " SELECT MAX(x) FROM c"
    ),
    "postgresql": statement("SELECT pg_sleep(3600)"),
}
# Longer than a limit of 50 ms on any machine, and not by much.
A_MOMENT = {
    "sqlite": statement(
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 500000)"
        " SELECT MAX(x) FROM c"
    ),
    "postgresql": statement("SELECT pg_sleep(0.3)"),
}


async def ask(database: Database, what: Any = GET) -> Any:
    async with database.read() as reader:
        return await reader.all(what, **({"id": "a"} if what in (GET, LONG_GET) else {}))


@asynccontextmanager
async def opened(url: str, **options: Any) -> AsyncIterator[Database]:
    """Yields a database with one counter; `options` are those of `DatabaseOptions`."""
    database = database_at(url, **options)
    await database.connect()
    async with database.write() as writer:
        await writer.run(COUNTERS)
        await writer.run(ADD, id="a", n=0)
    try:
        yield database
    finally:
        await database.disconnect()


@asynccontextmanager
async def flooded(database: Database, what: Any = None) -> "AsyncIterator[list[asyncio.Task[Any]]]":
    """Has twenty endless statements of one company under way, and yields them."""
    what = what or ENDLESS[database.dialect]
    flood = [on_account_of(ACME, ask(database, what)) for _ in range(TWENTY)]
    for _ in range(20):
        await asyncio.sleep(0)
    try:
        yield flood
    finally:
        for one in flood:
            one.cancel()
        await asyncio.gather(*flood, return_exceptions=True)
