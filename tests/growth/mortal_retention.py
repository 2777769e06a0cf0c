"""A server process that throws away what is over, and is killed while it does; forked from the tests' own."""

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from itertools import count

from builtin_plugins.audit.checkpointing import Checkpointing
from builtin_plugins.audit.partitions import EVENTS, make_ahead
from builtin_plugins.repo import lifecycle_sweep
from builtin_plugins.retention import sweeper
from guildhall_sdk import Actor
from guildhall_sdk.services.repository import Repository
from guildhall_testing.clock import FakeClock
from guildhall_testing.servers import running_server, settings_from
from guildhall_testing.statements import StatementCall, before_statements

PORTION = 3
MONTHS = "months"
#: What has its portions counted in the end, right before the commit.
COUNTED = {sweeper.sql.add_thrown_away, lifecycle_sweep.sql.add_gone}


def sweep_once(
    environment: Mapping[str, str], now_ms: int, companies: Sequence[str], dies_in: str | None = None
) -> None:
    """Sweeps everything once; dies within the second portion of what is named so, with its rows deleted.

    In `MONTHS` it dies within the first portion of audit events, with a partition dropped.
    """
    asyncio.run(_sweep_once(environment, now_ms, companies, dies_in))


async def _sweep_once(
    environment: Mapping[str, str], now_ms: int, companies: Sequence[str], dies_in: str | None
) -> None:
    sweeper.PORTION = lifecycle_sweep.PORTION = PORTION
    if dies_in is not None:
        _die_in(dies_in)
    async with running_server(settings_from(environment), clock=FakeClock(now_ms)) as server:
        if (months := server.data.engine.partitions(EVENTS)) is not None:
            await make_ahead(server.data, server.clock, months)
        for org_id in companies * PORTION:
            async with server.data.write(Actor("ann", org_id=org_id)) as writer:
                writer.audit("note.created", ("note", "x"))
        await server.service(Checkpointing).catch_up(rest_seconds=0)
        await sweeper.RetentionSweeper(server.host).sweep()
        await server.service(Repository).lifecycles.sweep(pause_seconds=0)


def _die_in(name: str) -> None:
    portions = count(2 if name == MONTHS else 1)
    counted_as = "audit" if name == MONTHS else name

    def die(call: StatementCall) -> None:
        counted = call.statement in COUNTED and call.binds.get("name", "versions") == counted_as
        if counted and next(portions) == 2:
            os.kill(os.getpid(), signal.SIGKILL)

    before_statements(setattr, die)
