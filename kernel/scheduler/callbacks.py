"""What plugins do in the transaction that claims or ends a job: reservations, effects, and `ended`."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from operator import itemgetter
from time import monotonic

from guildhall_sdk import Job, Row, TooManyRequests, Writer
from guildhall_sdk.dimensions import JobReservations, Reservation
from guildhall_sdk.engines.engine import DatabaseBusy
from guildhall_sdk.jobs import running_job
from kernel.logs import get_logger
from kernel.scheduler.core import Core
from kernel.scheduler.rows import ENDED, LONG, job_of, scope_of
from kernel.scheduler.statements import sql
from kernel.scope import credential_of_job, scoped
from libs.coordination import run_behind_savepoints
from libs.fair_slots import RESULTS

_log = get_logger("jobs")
Effect = Callable[[Writer], Awaitable[None]]
_Work = Callable[[Sequence[Row]], Awaitable[None]]

# Beyond this a kind's callbacks have transactions of their own: nobody else's report waits for them. One that
# is for many jobs takes longer as a whole, and is slow where each of them takes so long as well.
_SLOW_SECONDS = 0.1
_SLOW_SECONDS_EACH = 0.01
# How long one may take while others wait for the same transaction.
_SHARED_SECONDS = 1.0
# How long one may take in any case: on SQLite nobody else writes meanwhile.
MAX_SECONDS = 10.0
# A reservation is settled or given back when the job ends; should nobody do either, this is when it lapses.
_RESERVED_MS = 24 * 3600 * 1000
_LONGEST_POSTPONEMENT_MS = 30_000
# What makes jobs that are over alike: of whom and of which chain of events they are, and how they act.
_ACTING = ("org_id", "kind", "depth", "asked_with", "scope", "trace")


async def reserve(core: Core, writer: Writer, taken: Sequence[Row]) -> list[Row]:
    """Reserves what the jobs need; returns those that got it, and the others wait to be tried again.

    By company, since each reservation holds its company's place until the commit: whoever writes for several
    takes them in the same order.
    """
    admitted = [row for row in taken if not _reserves(core, row)]
    for row in sorted((row for row in taken if _reserves(core, row)), key=itemgetter("org_id")):
        try:
            reservation = await core.host.service(JobReservations).reserve(
                writer, row["org_id"], row["team_id"], _reserves(core, row), _RESERVED_MS
            )
        except TooManyRequests as refusal:
            wait = min(_LONGEST_POSTPONEMENT_MS, 1000 * int(refusal.headers.get("Retry-After", "1")))
            await writer.run(sql.postpone, id=row["id"], wall=core.wall, wait_ms=wait)
        else:
            await writer.run(sql.note_reservation, id=row["id"], reservation=reservation.id)
            admitted.append(row)
    return admitted


async def settle_reservations(core: Core, writer: Writer, rows: Iterable[Row]) -> None:
    """Settles the reservations of jobs that succeeded, and gives back those of the others."""
    for row in sorted((row for row in rows if row["reservation"] is not None), key=itemgetter("org_id")):
        reservations = core.host.service(JobReservations)
        end = reservations.settle if row["state"] == "succeeded" else reservations.release
        await end(writer, Reservation(row["reservation"], row["org_id"], row["team_id"]))


def _reserves(core: Core, row: Row) -> Mapping[str, int]:
    kind = core.kinds.get(row["kind"])
    return {} if kind is None else kind.reserves


@contextmanager
def at_depth(depth: int) -> Iterator[None]:
    """Makes what is in the block part of its own chain of events, also in a task that another chain began."""
    before = running_job.set(replace(running_job.get(), depth=depth))
    try:
        yield
    finally:
        running_job.reset(before)


class Callbacks:
    """Runs them behind savepoints, so that one that fails is undone alone."""

    def __init__(self, core: Core) -> None:
        self._core = core
        #: Whose callbacks took long when they ran last.
        self.slow_kinds: set[str] = set()

    def wanted(self, kind: str) -> bool:
        """Tells whether somebody is to be called when a job of this kind ends."""
        found = self._core.kinds.get(kind)
        return found is not None and (found.ended or found.ended_together) is not None

    async def run_effects(
        self, writer: Writer, jobs: Iterable[Row], effects: Mapping[str, Effect], *, shared: bool
    ) -> dict[str, Exception]:
        """Runs effects by company, since they may wait for its locks; returns what failed, by job.

        Nothing stays of an effect that failed.
        """

        async def work(rows: Sequence[Row]) -> None:
            await effects[rows[0]["id"]](writer)

        rows = sorted(jobs, key=lambda row: (row["org_id"], row["id"]))
        failed = await self._run_all(writer, [[row] for row in rows], work, shared=shared)
        return {row["id"]: error for row, error in failed}

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
        work = partial(self._call_ended, writer)
        for row, fault in await self._run_all(writer, self._alike(found), work, shared=shared):
            if isinstance(fault, DatabaseBusy):
                raise fault
            _log.error("job.ended_failed", exc=fault, job=row["id"], kind=row["kind"])

    def _alike(self, rows: Sequence[Row]) -> list[list[Row]]:
        """Groups jobs that are over by their calls: one each, or one for all that act alike.

        In one order in every process, since they may lock what others of the same credential lock too.
        """
        alike: dict[tuple[str, ...], list[Row]] = defaultdict(list)
        for row in sorted(rows, key=lambda row: str(row["id"])):
            alone = "" if self._core.kinds[row["kind"]].ended_together is not None else row["id"]
            alike[*(str(row.get(name) or "") for name in _ACTING), alone].append(row)
        return [those for _, those in sorted(alike.items())]

    async def _call_ended(self, writer: Writer, rows: Sequence[Row]) -> None:
        kind, host = self._core.kinds[rows[0]["kind"]], self._core.host_of(rows[0]["kind"])
        jobs = await _jobs_of(rows)
        if kind.ended_together is not None:
            await kind.ended_together(host, writer, jobs)
        elif kind.ended is not None:
            await kind.ended(host, writer, jobs[0])

    async def _run_all(
        self, writer: Writer, groups: Sequence[Sequence[Row]], work: _Work, *, shared: bool
    ) -> Sequence[tuple[Row, Exception]]:
        seconds = _SHARED_SECONDS if shared else None
        return await run_behind_savepoints(groups, partial(self._run, work), writer.savepoint, seconds)

    async def _run(self, work: _Work, rows: Sequence[Row]) -> None:
        """Runs one callback as its job: whoever reports may be another, and of another chain of events."""
        row, began = rows[0], monotonic()
        credential = credential_of_job(row["asked_with"], scope_of(row))
        try:
            with scoped(credential=credential, trace=row.get("trace")), at_depth(row["depth"]):
                async with asyncio.timeout(MAX_SECONDS):
                    await work(rows)
        finally:
            is_slow = monotonic() - began > max(_SLOW_SECONDS, _SLOW_SECONDS_EACH * len(rows))
            (self.slow_kinds.add if is_slow else self.slow_kinds.discard)(row["kind"])


async def _jobs_of(rows: Sequence[Row]) -> list[Job]:
    """Reads jobs with their results, on a thread where these are long."""
    if sum(len(row["result"] or "") for row in rows) <= LONG:
        return [job_of(row) for row in rows]
    return await RESULTS.run(rows[0]["org_id"], lambda: [job_of(row) for row in rows])
