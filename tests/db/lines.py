"""Write scopes that wait in line for their turn on SQLite, and a commit that waits for a test."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from contextvars import Context
from typing import Any

from builtin_plugins.sqlite.connection import commit
from guildhall_sdk.engines.engine import Account
from kernel.db import Database
from kernel.scope import change_scope, request_of
from tests.db.conftest import ADD, ALL, statement

ACME = request_of("org_acme")
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
        """A task as another request's would be: it knows of no scope around it."""
        context = Context()
        context.run(change_scope, account=account)
        self.tasks[name] = asyncio.get_running_loop().create_task(work, context=context)
        await asyncio.sleep(0)

    @asynccontextmanager
    async def forms(self) -> AsyncIterator[None]:
        """Whoever is queued inside waits until its end."""
        async with self.database.write():
            yield

    async def outcomes(self) -> dict[str, BaseException | None]:
        ended = await asyncio.gather(*self.tasks.values(), return_exceptions=True)
        return dict(zip(self.tasks, ended, strict=True))

    async def written(self) -> set[str]:
        async with self.database.read() as reader:
            return {row["id"] for row in await reader.all(ALL)}


class HeldCommit:
    """A commit that waits on its thread until it may go on."""

    def __init__(self) -> None:
        self.begun, self.may_go_on = threading.Event(), threading.Event()

    def __call__(self, connection: sqlite3.Connection) -> None:
        self.begun.set()
        self.may_go_on.wait()
        commit(connection)

    async def is_under_way(self) -> None:
        assert await asyncio.to_thread(self.begun.wait, 30)
        await settle()


async def fail(_: Any) -> None:
    raise LookupError("on purpose")


async def settle() -> None:
    """Until everybody has come as far as they come on the loop alone."""
    for _ in range(20):
        await asyncio.sleep(0)
