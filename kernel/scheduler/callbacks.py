"""What plugins do in the transaction that ends a job: effects of handlers, and the `ended` of a kind."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic

from guildhall_sdk import Host, JobKind, Row, Writer
from kernel.db import DatabaseBusy
from kernel.identity.acting import acting_with, credential_of_job
from kernel.logs import get_logger
from kernel.scheduler.depth import at_depth
from kernel.scheduler.rows import job_of, scope_of
from kernel.scheduler.statements import sql

_log = get_logger("jobs")
Effect = Callable[[Writer], Awaitable[None]]
ENDED = ("succeeded", "failed", "cancelled")

# Beyond this a kind's callbacks have transactions of their own: nobody else's report waits for them.
_SLOW_SECONDS = 0.1
# How long one may take while others wait for the same transaction.
_SHARED_SECONDS = 1.0
# How long one may take in any case: on SQLite nobody else writes meanwhile.
MAX_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class _Call:
    """One callback, and the row of the job that it is for."""

    row: Row
    work: Callable[[], Awaitable[None]]


class Callbacks:
    """Runs them behind savepoints, so that one that fails is undone alone.

    First all behind one: only when one of them fails they are undone together, and run again behind a
    savepoint each. What comes of a call that was undone nobody sees but its own memory.
    """

    def __init__(self, host: Host, kinds: Mapping[str, JobKind], hosts: Mapping[str, Host]) -> None:
        """Takes the kinds; `hosts` are those of their plugins by kind, and `host` is for others."""
        self._host = host
        self._kinds = kinds
        self._hosts = hosts
        self._slow: set[str] = set()

    def wanted(self, kind: str) -> bool:
        """Tells whether somebody is to be called when a job of this kind ends."""
        return (found := self._kinds.get(kind)) is not None and found.ended is not None

    def is_slow(self, kind: str) -> bool:
        return kind in self._slow

    async def run_effects(
        self, writer: Writer, effects: Iterable[tuple[Row, Effect]], *, shared: bool
    ) -> dict[str, Exception]:
        """Runs effects by company, since they may wait for its locks; returns what failed, by job.

        Nothing stays of an effect that failed.
        """
        calls = [_Call(row, partial(effect, writer)) for row, effect in effects]
        return await self._run_all(writer, sorted(calls, key=_company), shared=shared)

    async def tell_ended(self, writer: Writer, rows: Iterable[Row], *, shared: bool = False) -> None:
        """Calls `ended` of the kinds of those that are over.

        One that fails is logged, and its job has ended all the same; a trouble of the database that passes
        undoes the whole transaction, and whoever began it tries again.
        """
        over = [row["id"] for row in rows if row["state"] in ENDED and self.wanted(row["kind"])]
        if not over:
            return
        found = await writer.all(sql.jobs_by_id, ids=json.dumps(over))
        calls = sorted((self._ended_call(writer, row) for row in found), key=_company)
        faults = await self._run_all(writer, calls, shared=shared)
        for call in calls:
            fault = faults.get(call.row["id"])
            if isinstance(fault, DatabaseBusy):
                raise fault
            if fault is not None:
                _log.error("job.ended_failed", exc=fault, job=call.row["id"], kind=call.row["kind"])

    def _ended_call(self, writer: Writer, row: Row) -> _Call:
        ended = self._kinds[row["kind"]].ended
        assert ended is not None
        host, job = self._hosts.get(row["kind"], self._host), job_of(row)
        # Whoever reports it may be of another chain of events, or of none.
        return _Call(row, partial(at_depth(row["depth"], lambda writer: ended(host, writer, job)), writer))

    async def _run_all(self, writer: Writer, calls: Sequence[_Call], *, shared: bool) -> dict[str, Exception]:
        limit = asyncio.timeout(_SHARED_SECONDS if shared else None)
        try:
            async with limit:
                if len(calls) < 2 or not await self._all_well(writer, calls):
                    return await self._each(writer, calls)
        except TimeoutError:
            if not limit.expired():
                raise
            raise RuntimeError("callbacks took too long for a transaction that others share") from None
        return {}

    async def _all_well(self, writer: Writer, calls: Sequence[_Call]) -> bool:
        try:
            async with writer.savepoint():
                for call in calls:
                    await self._run(call)
        except Exception:
            return False
        return True

    async def _each(self, writer: Writer, calls: Sequence[_Call]) -> dict[str, Exception]:
        faults: dict[str, Exception] = {}
        for call in calls:
            try:
                async with writer.savepoint():
                    await self._run(call)
            except Exception as error:
                faults[call.row["id"]] = error
        return faults

    async def _run(self, call: _Call) -> None:
        row, began = call.row, monotonic()
        try:
            with acting_with(credential_of_job(row["asked_with"], scope_of(row))):
                async with asyncio.timeout(MAX_SECONDS):
                    await call.work()
        finally:
            if monotonic() - began > _SLOW_SECONDS:
                self._slow.add(row["kind"])
            else:
                self._slow.discard(row["kind"])


def _company(call: _Call) -> tuple[str, str]:
    return call.row["org_id"], call.row["id"]
