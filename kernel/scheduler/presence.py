"""The server processes that share a database: their signs of life, their leases, and what dead ones held.

A process is alive as long as its row is renewed, or the connection it listens on holds its lock, which the
database lets go of the moment that the process dies. Only one that lacks both is taken for dead.
"""

import asyncio
import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress

from guildhall_sdk import Host, Metric, Problem, Reader, Row, new_id
from guildhall_sdk.metrics import Measured
from kernel.logs import get_logger
from kernel.scheduler.completion import CompletionWriter
from kernel.scheduler.core import Core
from kernel.scheduler.leases import Leases, LeaseTime
from kernel.scheduler.loops import Loop
from kernel.scheduler.runner import Runner
from kernel.scheduler.statements import sql

_log = get_logger("jobs")
SIGN_SECONDS = 2.0
TICK_SECONDS = 1.0
SILENT_MS = 5_000
# Whoever has not looked for so long cannot tell whose silence is whose.
_LONGEST_GAP_MS = 3_000


class Renewal:
    """Renews the leases of what this process runs at each third of one, behind nothing else that it does.

    What was refused is tried again at the next tick.
    """

    def __init__(self, core: Core, lease_time: LeaseTime, leases: Leases, runners: Sequence[Runner]) -> None:
        self._core = core
        self._lease_time = lease_time
        self._leases = leases
        self._runners = runners
        self._renewed_at = core.clock.steady_ms()
        self._turn = asyncio.Lock()
        # Short enough that a renewal is never late by more than a ninth of a lease.
        self.loop = Loop("renewal", self.renew_if_due, min(TICK_SECONDS, core.lease_ms / 9000))

    def hasten(self) -> None:
        """Lets the next tick renew whatever the time: somebody may have taken away what runs here."""
        self._renewed_at -= self._core.lease_ms

    async def renew_if_due(self) -> None:
        """Renews the leases of this process if they are due.

        Call it also before anybody is called lost: a process that stood still renews its own first.
        """
        async with self._turn:
            if self._core.clock.steady_ms() - self._renewed_at < self._core.lease_ms // 3:
                return
            # Had the clock jumped, every lease of ours would look as if it were over.
            await self._lease_time.look()
            await self._renew()
            self._renewed_at = self._core.clock.steady_ms()

    async def _renew(self) -> None:
        held = [(runner, job) for runner in self._runners for job in runner.held]
        if not held:
            return
        still_held = await self._leases.extend(
            [(job.id, job.token, job.reached) for _, job in held], own=True
        )
        for runner, job in held:
            if job.id not in still_held:
                runner.drop(job)


class Heartbeat:
    """This process among those of its database. On SQLite it is the only one, and has no id.

    When others took it for dead, and it is back under a new id, it hastens its `renewal`.
    """

    def __init__(self, core: Core, renewal: Renewal) -> None:
        self._core = core
        self._renewal = renewal
        self._shared = core.data.dialect == "postgresql"
        self.id: str | None = self._new_id() if self._shared else None
        self._registered = False
        self._loop = Loop("heartbeat", self.beat, SIGN_SECONDS)

    async def start(self) -> None:
        if self._shared:
            await self.register()
            self._loop.start()

    async def stop(self) -> None:
        """Takes leave, so that nobody looks for it."""
        await self._loop.stop()
        if not self._registered or self.id is None:
            return
        self._registered = False
        await self._core.data.let_go(_lock_key(self.id))
        with suppress(Problem):  # the database is away: the others find the row without its process
            async with self._core.data.write() as writer:
                await writer.run(sql.remove_process, id=self.id)

    async def beat(self) -> None:
        """Gives a sign of life; a process that was taken for dead meanwhile gets a new id."""
        async with self._core.data.write() as writer:
            known = await writer.one(sql.beat, id=self.id, now=self._core.time.now())
        if known is None:
            before, self.id = self.id, self._new_id()
            try:
                await self.register(before)
            except BaseException:
                self.id = before  # what it holds is known under this one still
                raise
            _log.warning("process.was_taken_for_dead", process=before, now=self.id)
            self._renewal.hasten()

    async def register(self, before: str | None = None) -> None:
        """Becomes known to the others, instead of the one it was before."""
        assert self.id is not None
        if before is not None:
            await self._core.data.let_go(_lock_key(before))
        await self._core.data.hold(_lock_key(self.id))
        machine = {"host": socket.gethostname(), "pid": os.getpid()}
        async with self._core.data.write() as writer:
            await writer.run(sql.add_process, id=self.id, now=self._core.time.now(), **machine)
            # What it has claimed since then is its own under the new id.
            await writer.run(sql.rename_holder, before=before, id=self.id)
        self._registered = True

    def _new_id(self) -> str:
        return new_id("proc", self._core.clock.now_ms())

    def metrics(self) -> Sequence[Metric]:
        async def processes(host: Host, reader: Reader) -> Measured:
            return {(): await reader.value(sql.count_processes) if self._shared else 1}

        help_text = "Server processes that share the database"
        return (Metric("guildhall_processes", help_text, "gauge", (), measure=processes),)


class DeadProcessRecovery:
    """Takes up what a dead process held: seconds after its death, not when the leases lapse."""

    def __init__(self, core: Core, heartbeat: Heartbeat, endings: CompletionWriter) -> None:
        self._core = core
        self._heartbeat = heartbeat
        self._endings = endings
        self._looked_at = 0
        # Of each process its last sign, and when it was seen first, by the steady clock of this one.
        self._signs: dict[str, tuple[int, int]] = {}

    async def recover(self) -> None:
        """Looks at the other processes once; what a dead one held waits for another attempt."""
        if self._heartbeat.id is None:
            return
        async with self._core.data.read() as reader:
            rows = await reader.all(sql.other_processes, id=self._heartbeat.id)
        others = {row["id"]: row for row in rows}
        seen = {one: row["seen_at"] for one, row in others.items()}
        for silent in self.silent_processes(seen, self._core.clock.steady_ms()):
            await self.recover_from(others[silent])

    def silent_processes(self, seen: Mapping[str, int], steady_ms: int) -> list[str]:
        """Returns those that have given no sign for too long. `seen` is everybody's last sign now.

        No clock but its own is asked: one that jumps elsewhere makes nobody silent. After a gap in which it
        looked at nothing itself, it begins anew.
        """
        before = self._signs if steady_ms - self._looked_at <= _LONGEST_GAP_MS else {}
        self._looked_at = steady_ms
        self._signs = {
            one: known if (known := before.get(one)) and known[0] == at else (at, steady_ms)
            for one, at in seen.items()
        }
        return [one for one, (_, since) in self._signs.items() if steady_ms - since >= SILENT_MS]

    async def recover_from(self, silent: Row) -> None:
        """Holds its lock for itself meanwhile: it is not connected, and cannot come back half-way."""
        async with self._core.data.write() as writer:
            if not await writer.value(sql.is_disconnected, key=_lock_key(silent["id"])):
                return
            if await writer.one(sql.declare_dead, id=silent["id"], seen_at=silent["seen_at"]) is None:
                return
            held = await writer.all(sql.held_by_process, process_id=silent["id"])
            jobs = len(await self._endings.take_away(writer, held))
        _log.warning("process.lost", process=silent["id"], host=silent["host"], pid=silent["pid"], jobs=jobs)


def _lock_key(process_id: str) -> str:
    return f"process {process_id}"
