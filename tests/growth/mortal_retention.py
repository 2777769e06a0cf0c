"""A server process that throws away what is over, and is killed while it does; forked from the tests' own."""

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from builtin_plugins.repo.lifecycle import throwing_away as lifecycles
from builtin_plugins.retention import throwing_away
from guildhall_sdk import Actor, Statement
from guildhall_sdk.services.repository import Repository
from kernel.audit import make_ahead
from kernel.boot import Server
from kernel.config import Settings
from kernel.db.scopes import ScopedWriter
from kernel.testing.clock import FakeClock

PORTION = 3
MONTHS = "months"
#: What has its portions counted in the end, right before the commit.
COUNTED = {throwing_away.sql.add_thrown_away, lifecycles.sql.add_gone}


def look(
    environment: Mapping[str, str], now_ms: int, companies: Sequence[str], dies_in: str | None = None
) -> None:
    """Looks once at everything; dies within the second portion of what is named so, with its rows deleted.

    In `MONTHS` it dies within the first portion of audit events, with a partition dropped.
    """
    asyncio.run(_look(environment, now_ms, companies, dies_in))


async def _look(
    environment: Mapping[str, str], now_ms: int, companies: Sequence[str], dies_in: str | None
) -> None:
    throwing_away.PORTION = lifecycles.PORTION = PORTION
    if dies_in is not None:
        _die_in(dies_in)
    server = Server(Settings.from_environment(dict(environment)), clock=FakeClock(now_ms))
    await server.start()
    try:
        if server.data.dialect == "postgresql":
            await make_ahead(server.data, server.clock)
        for org_id in companies * PORTION:
            async with server.data.write(Actor("ann", org_id=org_id)) as writer:
                writer.audit("note.created", ("note", "x"))
        await server.checkpointing.catch_up(rest_seconds=0)
        await throwing_away.ThrowingAway(server).look()
        await server.service(Repository).lifecycles.look(pause_seconds=0)
    finally:
        await server.stop()


def _die_in(name: str) -> None:
    run, portions = ScopedWriter.run, count(2 if name == MONTHS else 1)
    counted_as = "audit" if name == MONTHS else name

    async def run_or_die(writer: ScopedWriter, statement: Statement, **binds: Any) -> None:
        if statement in COUNTED and binds.get("name", "versions") == counted_as and next(portions) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        await run(writer, statement, **binds)

    ScopedWriter.run = run_or_die  # type: ignore[method-assign]
