"""The scheduler as pull workers meet it: claim, heartbeat, complete, fail."""

import asyncio
import json
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from guildhall_sdk import Conflict, JobKind, NotFound, Row, Unprocessable, UserError
from guildhall_sdk.services import ClaimedJob, Lease, Worker
from kernel.db import Database
from kernel.logs import get_logger
from kernel.scheduler.claim import Claimant
from kernel.scheduler.claim_loop import ClaimLoop
from kernel.scheduler.completion import CompletionWriter, End, Landing, completed
from kernel.scheduler.leases import Leases
from kernel.scheduler.rows import bound_pool
from kernel.scheduler.statements import LeaseClock, sql
from kernel.scheduler.worker_registry import RegisteredWorkers

_log = get_logger("jobs")


class WorkerApi:
    """Implements the SDK's `Workers`."""

    def __init__(
        self,
        data: Database,
        kinds: Mapping[str, JobKind],
        time: LeaseClock,
        leases: Leases,
        claimer: ClaimLoop,
        endings: CompletionWriter,
        workers: RegisteredWorkers,
    ) -> None:
        self._data = data
        self._kinds = kinds
        self._time = time
        self._leases = leases
        self._claimer = claimer
        self._endings = endings
        self._workers = workers

    async def claim(
        self,
        worker: Worker,
        kinds: Sequence[str],
        provides: Sequence[str] | None,
        max_wait: float,
        hung_up: Awaitable[None],
    ) -> ClaimedJob | None:
        gone = asyncio.ensure_future(hung_up)
        try:
            claimant = self._claimant(worker, kinds, provides)
            await self._workers.note_call(worker)
            row = await self._claimer.wait_for_one(claimant, max_wait, gone)
        finally:
            gone.cancel()
        return None if row is None else self._claimed(row)

    def _claimant(self, worker: Worker, kinds: Sequence[str], provides: Sequence[str] | None) -> Claimant:
        if unknown := [name for name in dict.fromkeys(kinds) if name not in self._kinds]:
            raise UserError(f"There is no job kind {', '.join(unknown)}.", code="unknown_kind", kinds=unknown)
        remote = [name for name in dict.fromkeys(kinds) if self._kinds[name].remote]
        return Claimant(
            worker.id,
            worker.name,
            (*(bound_pool(name, worker.id) for name in remote), *remote),
            org_id=worker.org_id,
            team_id=worker.team_id,
            provides=None if provides is None else tuple(provides),
        )

    async def heartbeat(
        self, worker: Worker, job_id: str, claim_token: str | None, progress: float | None = None
    ) -> Lease:
        await self._held_by(worker, job_id)
        await self._workers.note_call(worker)
        extended = await self._leases.extend([(job_id, claim_token or "", progress)])
        if job_id not in extended:
            raise _stale()
        return self._leases.public(extended[job_id])

    async def complete(self, worker: Worker, job_id: str, claim_token: str | None, result: Any) -> None:
        row = await self._held_by(worker, job_id)
        kind = self._kinds.get(row["kind"])
        problem = False if kind is None else _problem_of(kind, result)
        if problem and not await self._is_held(job_id, claim_token):
            raise _stale()
        if problem:
            raise Unprocessable(f"The result was refused: {problem}")
        await self._report(await completed(job_id, claim_token or "", result), row)

    async def fail(
        self,
        worker: Worker,
        job_id: str,
        claim_token: str | None,
        code: str,
        message: str,
        *,
        retry: bool,
        retry_after: int | None = None,
    ) -> None:
        row = await self._held_by(worker, job_id)
        end = End(job_id, claim_token or "", "fail", code=code, message=message, retry=retry)
        if retry_after is not None:
            end = replace(end, verb="put_off", wait_ms=1000 * max(1, retry_after))
        await self._report(end, row)

    async def _report(self, end: End, row: Row) -> None:
        if await self._endings.report(end, kind=row["kind"]) is Landing.STALE:
            raise _stale()

    async def _held_by(self, worker: Worker, job_id: str) -> Row:
        """Returns the job if the worker has it or had it last; its token tells whether it still does."""
        async with self._data.read() as reader:
            row = await reader.one(sql.held_job, id=job_id)
        if (
            row is None
            or (worker.org_id is not None and row["org_id"] != worker.org_id)
            or (worker.team_id is not None and row["team_id"] != worker.team_id)
        ):
            raise NotFound
        if row["held_by"] != worker.id:
            raise _stale()
        return row

    async def _is_held(self, job_id: str, claim_token: str | None) -> bool:
        async with self._data.read() as reader:
            return (
                await reader.one(sql.still_held, id=job_id, token=claim_token or "", now=self._time.now())
                is not None
            )

    def _claimed(self, row: Row) -> ClaimedJob:
        return ClaimedJob(
            id=row["id"],
            kind=row["kind"],
            payload=json.loads(row["payload"]),
            attempt=row["attempt"],
            team_id=row["team_id"],
            lease=self._leases.public(row["lease_until"]),
            claim_token=row["claim_token"],
        )


def _problem_of(kind: JobKind, result: Any) -> str | Literal[False]:
    """Returns what the kind says of a result; a validator that breaks on it has not taken it."""
    if kind.validator is None:
        return False
    try:
        return kind.validator(result)
    except Exception as error:
        _log.error("job.validator_failed", exc=error, kind=kind.name)
        return "the validator of its kind cannot read it"


def _stale() -> Conflict:
    return Conflict(
        "This claim is not the current one: the lease is over, the token is missing or wrong, or it is of a "
        "job that somebody else holds.",
        code="stale_claim",
    )
