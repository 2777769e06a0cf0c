"""Who claims jobs with a token of their own: registered, seen when they call, and retired."""

import json
from collections.abc import Collection, Mapping

from guildhall_sdk import Clock, Credential, Data, Reader, Writer
from guildhall_sdk.services import IssuedToken, Worker
from kernel.identity.credentials import StoredCredentials
from kernel.scheduler.claim_loop import ClaimLoop
from kernel.scheduler.completion import CompletionWriter
from kernel.scheduler.retries import RETIRED
from kernel.scheduler.signals import Signals
from kernel.scheduler.statements import LeaseClock, sql

NOTED_EVERY_MS = 10_000
# Longer than any claim that was under way when its worker was retired.
_RETIRED_KEPT_MS = 24 * 3_600_000


class RegisteredWorkers:
    """Implements the SDK's `WorkerRegistry`."""

    def __init__(
        self,
        data: Data,
        clock: Clock,
        time: LeaseClock,
        claimer: ClaimLoop,
        endings: CompletionWriter,
        signals: Signals,
    ) -> None:
        self._data = data
        self._clock = clock
        self._time = time
        self._claimer = claimer
        self._endings = endings
        self._signals = signals
        self._credentials = StoredCredentials(clock)
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
        now = self._clock.now_ms()
        row = await writer.one(sql.retire_worker, id=worker_id, at=now)
        await writer.run(sql.forget_retired, before=now - _RETIRED_KEPT_MS)
        if row is not None:
            await self._credentials.revoke_of_worker(writer, row["token_id"])
        held = await writer.all(sql.held_by_worker, held_by=worker_id)
        await self._endings.take_away(writer, held, at_once=True, blamed=False)
        code, message = RETIRED
        wall = self._time.time_of_day()
        failed = await writer.all(
            sql.fail_bound_to, bound_to=worker_id, wall=wall, code=code, message=message
        )
        await self._endings.callbacks.tell_ended(writer, failed)
        await self._endings.record(writer, failed)
        writer.after_commit(lambda: self._dismiss(worker_id))
        writer.after_commit(self._signals.arrived)
        writer.after_commit(lambda: self._signals.over(failed))

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
        now = self._clock.steady_ms()
        noted = self._noted.get(worker.id, now - NOTED_EVERY_MS)
        if worker.team_id is not None or now - noted < NOTED_EVERY_MS:
            return
        self._noted[worker.id] = now
        try:
            async with self._data.write() as writer:
                await writer.run(sql.note_call, id=worker.id, at=self._clock.now_ms())
        except BaseException:
            del self._noted[worker.id]
            raise
