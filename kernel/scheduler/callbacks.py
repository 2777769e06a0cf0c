"""What plugins do in the transaction that ends a job: effects of handlers, and the `ended` of a kind."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic

from guildhall_sdk import Job, Row, Writer
from guildhall_sdk.engines.engine import DatabaseBusy
from guildhall_sdk.jobs import running_job
from kernel.identity.acting import acting_with, credential_of_job
from kernel.logs import get_logger
from kernel.scheduler.core import Core
from kernel.scheduler.rows import ENDED, job_of, scope_of
from kernel.scheduler.statements import sql
from libs.fair_slots import RESULTS

_log = get_logger("jobs")
Effect = Callable[[Writer], Awaitable[None]]

# Beyond this a kind's callbacks have transactions of their own: nobody else's report waits for them. One that
# is for many jobs takes longer as a whole, and is slow where each of them takes so long as well.
_SLOW_SECONDS = 0.1
_SLOW_SECONDS_EACH = 0.01
# How long one may take while others wait for the same transaction.
_SHARED_SECONDS = 1.0
# Results that are longer together are read on a thread, in characters.
_LONG = 32 * 1024
# How long one may take in any case: on SQLite nobody else writes meanwhile.
MAX_SECONDS = 10.0


def at_depth(depth: int, effect: Effect) -> Effect:
    """Returns the effect as part of its own chain of events, also in a task that another chain began."""

    async def deep(writer: Writer) -> None:
        before = running_job.set(replace(running_job.get(), depth=depth))
        try:
            await effect(writer)
        finally:
            running_job.reset(before)

    return deep


class SharedTooLong(Exception):
    """Callbacks took too long for a transaction that several share; fewer of them may not."""


@dataclass(frozen=True, slots=True)
class _Call:
    """One callback, and the row of the job that it is for, or the first of several."""

    row: Row
    work: Callable[[], Awaitable[None]]
    #: How many jobs it is for, and the same for each of them alone, where these are several.
    jobs: int = 1
    apart: "Callable[[], Sequence[_Call]] | None" = None


class Callbacks:
    """Runs them behind savepoints, so that one that fails is undone alone.

    First all behind one: only when one of them fails they are undone together, and run again behind a
    savepoint each. What comes of a call that was undone nobody sees but its own memory.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._slow: set[str] = set()

    def wanted(self, kind: str) -> bool:
        """Tells whether somebody is to be called when a job of this kind ends."""
        found = self._core.kinds.get(kind)
        return found is not None and (found.ended or found.ended_together) is not None

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

    async def call_ended(self, writer: Writer, rows: Iterable[Row], *, shared: bool = False) -> None:
        """Calls `ended` of the kinds of those that are over.

        One that fails is logged, and its job has ended all the same; a trouble of the database that passes
        undoes the whole transaction, and whoever began it tries again.
        """
        over = [row for row in rows if row["state"] in ENDED and self.wanted(row["kind"])]
        if not over:
            return
        found = [row for row in over if "payload" in row]
        if missing := [row["id"] for row in over if "payload" not in row]:
            found += await writer.all(sql.jobs_by_id, ids=json.dumps(missing))
        faults = await self._run_all(writer, self._ended_calls(writer, found), shared=shared)
        for row in found:
            fault = faults.get(row["id"])
            if isinstance(fault, DatabaseBusy):
                raise fault
            if fault is not None:
                _log.error("job.ended_failed", exc=fault, job=row["id"], kind=row["kind"])

    def _ended_calls(self, writer: Writer, rows: Sequence[Row]) -> list[_Call]:
        """Makes the calls for jobs that are over: one each, or one for all that act alike."""
        calls: list[_Call] = []
        alike: dict[tuple[str, ...], list[Row]] = {}
        for row in rows:
            if self._core.kinds[row["kind"]].ended_together is None:
                calls.append(self._ended_call(writer, [row]))
            else:
                alike.setdefault(_acting(row), []).append(row)
        # In one order in every process, since they may lock what others of the same credential lock too.
        for _, those in sorted(alike.items()):
            those.sort(key=lambda row: str(row["id"]))
            call = self._ended_call(writer, those)
            if len(those) > 1:
                call = replace(call, jobs=len(those), apart=partial(self._each_ended_call, writer, those))
            calls.append(call)
        return sorted(calls, key=lambda call: str(call.row["org_id"]))

    def _each_ended_call(self, writer: Writer, rows: Sequence[Row]) -> Sequence[_Call]:
        return [self._ended_call(writer, [row]) for row in rows]

    def _ended_call(self, writer: Writer, rows: Sequence[Row]) -> _Call:
        row = rows[0]
        kind, host = self._core.kinds[row["kind"]], self._core.host_of(row["kind"])

        async def call(writer: Writer) -> None:
            jobs = await _jobs_of(rows)
            if kind.ended_together is not None:
                await kind.ended_together(host, writer, jobs)
            elif kind.ended is not None:
                await kind.ended(host, writer, jobs[0])

        # Whoever reports it may be of another chain of events, or of none.
        return _Call(row, partial(at_depth(row["depth"], call), writer), len(rows))

    async def _run_all(self, writer: Writer, calls: Sequence[_Call], *, shared: bool) -> dict[str, Exception]:
        limit = asyncio.timeout(_SHARED_SECONDS if shared else None)
        try:
            async with limit:
                alone = len(calls) < 2 and not any(call.apart for call in calls)
                if alone or not await self._all_well(writer, calls):
                    return await self._each(writer, calls)
        except TimeoutError:
            if not limit.expired():
                raise
            raise SharedTooLong("callbacks took too long for a transaction that others share") from None
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
        for call in (one for several in calls for one in (several.apart() if several.apart else (several,))):
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
            if monotonic() - began > max(_SLOW_SECONDS, _SLOW_SECONDS_EACH * call.jobs):
                self._slow.add(row["kind"])
            else:
                self._slow.discard(row["kind"])


async def _jobs_of(rows: Sequence[Row]) -> list[Job]:
    """Reads jobs with their results, on a thread where these are long."""
    if sum(len(row["result"] or "") for row in rows) <= _LONG:
        return [job_of(row) for row in rows]
    return await RESULTS.run(rows[0]["org_id"], lambda: [job_of(row) for row in rows])


def _acting(row: Row) -> tuple[str, ...]:
    return row["org_id"], row["kind"], str(row["depth"]), row["asked_with"] or "", row["scope"] or ""


def _company(call: _Call) -> tuple[str, str]:
    return call.row["org_id"], call.row["id"]
