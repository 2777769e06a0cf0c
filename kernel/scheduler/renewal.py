"""Renewing the leases of what this process runs, behind nothing else that it does."""

import asyncio
from collections.abc import Sequence

from guildhall_sdk import Clock
from kernel.scheduler.lease_time import LeaseTime
from kernel.scheduler.leases import Leases
from kernel.scheduler.loops import Loop
from kernel.scheduler.runner import Runner

TICK_SECONDS = 1.0


class Renewal:
    """Renews at each third of a lease. What was refused is tried again at the next tick."""

    def __init__(
        self,
        clock: Clock,
        lease_time: LeaseTime,
        lease_ms: int,
        leases: Leases,
        runners: Sequence[Runner],
    ) -> None:
        self._clock = clock
        self._lease_time = lease_time
        self._lease_ms = lease_ms
        self._leases = leases
        self._runners = runners
        self._renewed_at = clock.steady_ms()
        self._turn = asyncio.Lock()
        self._loop = Loop("renewal", self.renew_if_due, self.tick_seconds)

    def start(self) -> None:
        self._loop.start()

    async def stop(self) -> None:
        await self._loop.stop()

    @property
    def tick_seconds(self) -> float:
        """Short enough that a renewal is never late by more than a ninth of a lease."""
        return min(TICK_SECONDS, self._lease_ms / 9000)

    def hasten(self) -> None:
        """Lets the next tick renew whatever the time: somebody may have taken away what runs here."""
        self._renewed_at -= self._lease_ms

    async def renew_if_due(self) -> None:
        """Renews the leases of this process if they are due.

        Call it also before anybody is called lost: a process that stood still renews its own first.
        """
        async with self._turn:
            if self._clock.steady_ms() - self._renewed_at < self._lease_ms // 3:
                return
            # Had the clock jumped, every lease of ours would look as if it were over.
            await self._lease_time.look()
            await self._renew()
            self._renewed_at = self._clock.steady_ms()

    async def _renew(self) -> None:
        held = [(runner, job) for runner in self._runners for job in runner.held]
        if not held:
            return
        still_held = await self._leases.renew([(job.id, job.token, job.reached) for _, job in held])
        for runner, job in held:
            if job.id not in still_held:
                runner.drop(job)
