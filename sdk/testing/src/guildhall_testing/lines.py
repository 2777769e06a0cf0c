"""Write scopes that wait in line for their turn."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from guildhall_sdk.engines.engine import Account
from guildhall_testing.accounts import ACME, on_account_of
from guildhall_testing.counters import ADD, ALL
from guildhall_testing.databases import statement
from kernel.db.database import Database

# A parent is asked for by the commit, not by the statement.
ORPHANS = statement(
    "CREATE TABLE orphans (id TEXT PRIMARY KEY REFERENCES counters (id) DEFERRABLE INITIALLY DEFERRED)"
)
ORPHAN = statement("INSERT INTO orphans (id) VALUES (:id)")
LONG_WRITE = statement(
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < :rows)"
    " INSERT INTO counters (id, n) SELECT 'long' || x, x FROM c WHERE x % 100000 = 0"
)
ENDLESS = 10**12


class Line:
    """Scopes that wait for their turn, in the order in which they come."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self.callbacks: list[str] = []

    async def write(self, name: str, *also: Callable[[Any], Awaitable[object]]) -> None:
        async with self.database.write() as writer:
            writer.after_commit(lambda: self.callbacks.append(name))
            await writer.run(ADD, id=name, n=1)
            for one in also:
                await one(writer)

    async def queue(self, name: str, work: Coroutine[Any, Any, None], account: Account = ACME) -> None:
        """Starts a task as another request's would be, and lets it come as far as its place in line."""
        self.tasks[name] = on_account_of(account, work)
        await asyncio.sleep(0)

    @asynccontextmanager
    async def forms(self) -> AsyncIterator[None]:
        """Forms a queue: who is queued inside waits until its end."""
        async with self.database.write():
            yield

    async def outcomes(self) -> dict[str, BaseException | None]:
        ended = await asyncio.gather(*self.tasks.values(), return_exceptions=True)
        return dict(zip(self.tasks, ended, strict=True))

    async def written(self) -> set[str]:
        async with self.database.read() as reader:
            return {row["id"] for row in await reader.all(ALL)}


async def fail(_: Any) -> None:
    raise LookupError("on purpose")


async def settle() -> None:
    """Waits until everybody has come as far as they come on the loop alone."""
    for _ in range(20):
        await asyncio.sleep(0)
