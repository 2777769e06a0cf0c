"""The server processes that share a database: each gives signs of life, and none speaks for another.

A process is alive as long as its row is renewed, or the connection it listens on holds its lock, which the
database lets go of the moment that the process dies. Only one that lacks both is taken for dead.
"""

import os
import socket
from collections.abc import Sequence
from contextlib import suppress

from guildhall_sdk import Clock, Host, Measured, Metric, Problem, Reader, new_id
from kernel.db import Database
from kernel.logs import get_logger
from kernel.scheduler.loops import Loop
from kernel.scheduler.renewal import Renewal
from kernel.scheduler.statements import LeaseClock, sql

_log = get_logger("jobs")
SIGN_SECONDS = 2.0


def lock_key(process_id: str) -> str:
    return f"process {process_id}"


class Presence:
    """This process among those of its database. On SQLite it is the only one, and has no id.

    When others took it for dead, and it is back under a new id, it hastens its `renewal`.
    """

    def __init__(self, data: Database, clock: Clock, time: LeaseClock, renewal: Renewal) -> None:
        self._data = data
        self._clock = clock
        self._time = time
        self._renewal = renewal
        self._shared = data.dialect == "postgresql"
        self.id: str | None = self._new_id() if self._shared else None
        self._registered = False
        self._loop = Loop("presence", self.sign, SIGN_SECONDS)

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
        await self._data.let_go(lock_key(self.id))
        with suppress(Problem):  # the database is away: the others find the row without its process
            async with self._data.write() as writer:
                await writer.run(sql.remove_process, id=self.id)

    async def sign(self) -> None:
        """Gives a sign of life; a process that was taken for dead meanwhile gets a new id."""
        async with self._data.write() as writer:
            known = await writer.one(sql.sign, id=self.id, now=self._time.now())
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
            await self._data.let_go(lock_key(before))
        await self._data.hold(lock_key(self.id))
        async with self._data.write() as writer:
            await writer.run(
                sql.add_process, id=self.id, now=self._time.now(), host=socket.gethostname(), pid=os.getpid()
            )
            # What it has claimed since then is its own under the new id.
            await writer.run(sql.rename_holder, before=before, id=self.id)
        self._registered = True

    def _new_id(self) -> str:
        return new_id("proc", self._clock.now_ms())

    def metrics(self) -> Sequence[Metric]:
        async def processes(host: Host, reader: Reader) -> Measured:
            return {(): await reader.value(sql.count_processes) if self._shared else 1}

        help_text = "Server processes that share the database"
        return (Metric("guildhall_processes", help_text, "gauge", (), measure=processes),)
