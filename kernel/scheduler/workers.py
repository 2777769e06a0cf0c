"""Pull workers: registered with a token of their own, and how they claim, keep and end jobs."""

import asyncio
import json
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import Any, Literal

from guildhall_sdk import Conflict, JobKind, NotFound, Row, UserError, Writer
from guildhall_sdk.errors import Unprocessable
from guildhall_sdk.services.jobs import ClaimedJob, Lease, Worker
from kernel.identity.workers import StoredWorkers
from kernel.logs import get_logger
from kernel.scheduler.claim import Claimant
from kernel.scheduler.claim_loop import ClaimLoop
from kernel.scheduler.completion import CompletionWriter, End, ReportOutcome
from kernel.scheduler.core import Core
from kernel.scheduler.rows import bound_pool
from kernel.scheduler.statements import sql

_log = get_logger("jobs")
_CLAIMED = ("id", "kind", "attempt", "team_id", "claim_token")
RETIRED = {"code": "worker_retired", "message": "The worker that it was bound to is gone."}


class PullWorkers(StoredWorkers):
    """Implements the SDK's `WorkerRegistry` and `Workers`."""

    def __init__(self, core: Core, claimer: ClaimLoop, endings: CompletionWriter) -> None:
        super().__init__(core.data, core.clock)
        self._core = core
        self._claimer = claimer
        self._endings = endings

    async def retire(self, writer: Writer, worker_id: str) -> None:
        await super().retire(writer, worker_id)
        held = await writer.all(sql.held_by_worker, held_by=worker_id)
        await self._endings.take_away(writer, held, at_once=True, lapsed=False)
        bound = await writer.all(sql.fail_bound_to, bound_to=worker_id, wall=self._core.wall, **RETIRED)
        await self._endings.pass_on(writer, bound)
        writer.after_commit(lambda: self._claimer.dismiss(worker_id))
        writer.after_commit(self._core.signals.arrived)

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
            await self.note_call(worker)
            row = await self._claimer.wait_for_one(claimant, max_wait, gone)
        finally:
            gone.cancel()
        return None if row is None else self._claimed(row)

    def _claimant(self, worker: Worker, kinds: Sequence[str], provides: Sequence[str] | None) -> Claimant:
        if unknown := [name for name in dict.fromkeys(kinds) if name not in self._core.kinds]:
            raise UserError(f"There is no job kind {', '.join(unknown)}.", code="unknown_kind", kinds=unknown)
        remote = [name for name in dict.fromkeys(kinds) if self._core.kinds[name].handler is None]
        pools = (*(bound_pool(name, worker.id) for name in remote), *remote)
        given = None if provides is None else tuple(provides)
        return Claimant(
            worker.id, worker.name, pools, org_id=worker.org_id, team_id=worker.team_id, provides=given
        )

    async def heartbeat(
        self, worker: Worker, job_id: str, claim_token: str | None, progress: float | None = None
    ) -> Lease:
        await self._held_by(worker, job_id)
        await self.note_call(worker)
        extended = await self._core.extend_leases([(job_id, claim_token or "", progress)])
        if job_id not in extended:
            raise _stale()
        return self._core.lease(extended[job_id])

    async def complete(self, worker: Worker, job_id: str, claim_token: str | None, result: Any) -> None:
        row = await self._held_by(worker, job_id)
        if problem := _problem_of(self._core.kinds.get(row["kind"]), result):
            binds = {"id": job_id, "token": claim_token or "", "now": self._core.now}
            is_held = await self._core.data.read_rows(sql.still_held, **binds)
            raise Unprocessable(f"The result was refused: {problem}") if is_held else _stale()
        await self._report(await End.of_result(job_id, claim_token or "", result), row)

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
        binds = {"id": job_id, "org_id": worker.org_id, "team_id": worker.team_id}
        rows = await self._core.data.read_rows(sql.held_job, **binds)
        if not rows:
            raise NotFound
        if rows[0]["held_by"] != worker.id:
            raise _stale()
        return rows[0]

    def _claimed(self, row: Row) -> ClaimedJob:
        lease, payload = self._core.lease(row["lease_until"]), json.loads(row["payload"])
        return ClaimedJob(**{name: row[name] for name in _CLAIMED}, payload=payload, lease=lease)


def _problem_of(kind: JobKind | None, result: Any) -> str | Literal[False]:
    """Returns what the kind says of a result; a validator that breaks on it has not taken it."""
    if kind is None or kind.validator is None:
        return False
    try:
        return kind.validator(result)
    except Exception as error:
        _log.error("job.validator_failed", exc=error, kind=kind.name)
        return "the validator of its kind cannot read it"


def _stale() -> Conflict:
    reason = "the lease is over, the token is missing or wrong, or another holds the job."
    return Conflict(f"This claim is not the current one: {reason}", code="stale_claim")
