"""Pull workers: registered with a token of their own, and how they claim, keep and end jobs."""

import asyncio
import json
from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from guildhall_sdk import Conflict, Credential, JobKind, NotFound, Reader, Row, UserError, Writer
from guildhall_sdk.errors import Unprocessable
from guildhall_sdk.services.identity import IssuedToken
from guildhall_sdk.services.jobs import ClaimedJob, Lease, Worker
from kernel.identity.credentials import StoredCredentials
from kernel.logs import get_logger
from kernel.scheduler.claim import Claimant
from kernel.scheduler.claim_loop import ClaimLoop
from kernel.scheduler.completion import CompletionWriter, End, ReportOutcome, completed
from kernel.scheduler.core import Core
from kernel.scheduler.leases import Leases
from kernel.scheduler.rows import bound_pool
from kernel.scheduler.statements import sql

_log = get_logger("jobs")
NOTED_EVERY_MS = 10_000
# Longer than any claim that was under way when its worker was retired.
_RETIRED_KEPT_MS = 24 * 3_600_000
RETIRED = ("worker_retired", "The worker that it was bound to is gone.")


class RegisteredWorkers:
    """Implements the SDK's `WorkerRegistry`."""

    def __init__(self, core: Core, claimer: ClaimLoop, endings: CompletionWriter) -> None:
        self._core = core
        self._claimer = claimer
        self._endings = endings
        self._credentials = StoredCredentials(core.clock)
        self._noted: dict[str, int] = {}

    async def register(
        self,
        writer: Writer,
        worker_id: str,
        name: str,
        *,
        org_id: str | None = None,
        made_with: Credential | None = None,
    ) -> IssuedToken:
        issued = await self._credentials.issue_to_worker(writer, name, made_with)
        await writer.run(sql.add_worker, id=worker_id, org_id=org_id, name=name, token_id=issued.id)
        return issued

    async def retire(self, writer: Writer, worker_id: str) -> None:
        # First of all: a claim of its that is under way is waited for, and the next one finds it retired.
        now = self._core.clock.now_ms()
        row = await writer.one(sql.retire_worker, id=worker_id, at=now)
        await writer.run(sql.forget_retired, before=now - _RETIRED_KEPT_MS)
        if row is not None:
            await self._credentials.revoke_of_worker(writer, row["token_id"])
        held = await writer.all(sql.held_by_worker, held_by=worker_id)
        await self._endings.take_away(writer, held, at_once=True, blamed=False)
        code, message = RETIRED
        binds = {"bound_to": worker_id, "wall": self._core.time.time_of_day()}
        failed = await writer.all(sql.fail_bound_to, **binds, code=code, message=message)
        await self._endings.pass_on(writer, failed)
        writer.after_commit(lambda: self._dismiss(worker_id))
        writer.after_commit(self._core.signals.arrived)
        writer.after_commit(lambda: self._core.signals.over(failed))

    def _dismiss(self, worker_id: str) -> None:
        self._claimer.dismiss(worker_id)
        self._noted.pop(worker_id, None)

    async def last_calls(self, reader: Reader, ids: Collection[str]) -> Mapping[str, int]:
        rows = await reader.all(sql.last_calls, ids=json.dumps([*ids])) if ids else ()
        return {row["id"]: row["called_at"] for row in rows}

    async def note_call(self, worker: Worker) -> None:
        """Writes down that a worker called, not more often than it is worth a write; of a person nothing.

        Not inside a scope.
        """
        now = self._core.clock.steady_ms()
        noted = self._noted.get(worker.id, now - NOTED_EVERY_MS)
        if worker.team_id is not None or now - noted < NOTED_EVERY_MS:
            return
        self._noted[worker.id] = now
        try:
            async with self._core.data.write() as writer:
                await writer.run(sql.note_call, id=worker.id, at=self._core.clock.now_ms())
        except BaseException:
            del self._noted[worker.id]
            raise


class WorkerApi:
    """Implements the SDK's `Workers`."""

    def __init__(
        self,
        core: Core,
        leases: Leases,
        claimer: ClaimLoop,
        endings: CompletionWriter,
        workers: RegisteredWorkers,
    ) -> None:
        self._core = core
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
        if unknown := [name for name in dict.fromkeys(kinds) if name not in self._core.kinds]:
            raise UserError(f"There is no job kind {', '.join(unknown)}.", code="unknown_kind", kinds=unknown)
        remote = [name for name in dict.fromkeys(kinds) if self._core.kinds[name].remote]
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
        kind = self._core.kinds.get(row["kind"])
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
        if await self._endings.report(end, kind=row["kind"]) is ReportOutcome.STALE:
            raise _stale()

    async def _held_by(self, worker: Worker, job_id: str) -> Row:
        """Returns the job if the worker has it or had it last; its token tells whether it still does."""
        async with self._core.data.read() as reader:
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
        token, now = claim_token or "", self._core.time.now()
        async with self._core.data.read() as reader:
            return await reader.one(sql.still_held, id=job_id, token=token, now=now) is not None

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
