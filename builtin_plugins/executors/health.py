"""Looking after executors: push ones are probed, pull ones are noticed when they call."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from guildhall_sdk import Clock, Data
from kernel.executors.push import Probed, PushClients, probe
from kernel.executors.store import PushEndpoint, StoredExecutors, sql
from kernel.executors.verdicts import PROBE_EVERY_MS
from kernel.logs import get_logger

_log = get_logger("executors")

SEEN_EVERY_MS = 10_000
# A little short of a round, so that whoever took the turn finds it due at the next.
_TURN_MS = PROBE_EVERY_MS - 5_000
_AT_ONCE = 8

Wait = Callable[[float], Awaitable[Any]]


class HealthLoop:
    """Without push executors it reads now and then, writes nothing and loads nothing."""

    def __init__(
        self,
        data: Data,
        clock: Clock,
        executors: StoredExecutors,
        clients: PushClients,
        *,
        wait: Wait = asyncio.sleep,
    ) -> None:
        self._data = data
        self._clock = clock
        self._executors = executors
        self._clients = clients
        self._wait = wait
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._running = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
            self._running = None

    async def _run(self) -> None:
        while True:
            try:
                await self.probe_those_due()
            except Exception as error:  # the database may be away for a while; the next round tries again
                _log.error("executors.probing_failed", exc=error)
            await self._wait(PROBE_EVERY_MS / 1000)

    async def probe_those_due(self) -> None:
        """One round. Each executor's turn goes to one process, by a conditional write."""
        due = await self._due()
        if not due:
            return
        taken = await self._take(due)
        if not taken:
            return
        gate = asyncio.Semaphore(_AT_ONCE)
        found = await asyncio.gather(*(self._probe(endpoint, gate) for endpoint in taken))
        async with self._data.write() as writer:
            now = self._clock.now_ms()
            for endpoint, one in zip(taken, found, strict=True):
                await writer.run(
                    sql.record_probe,
                    id=endpoint.executor_id,
                    reachable=int(one.reachable),
                    detail=one.detail,
                    now=now,
                )

    async def _due(self) -> Sequence[PushEndpoint]:
        now = self._clock.now_ms()
        async with self._data.read() as reader:
            endpoints = await self._executors.push_endpoints(reader)
            if not endpoints:
                return ()
            turns = {row["executor_id"]: row["probe_after"] for row in await reader.all(sql.probe_turns)}
        return [
            endpoint
            for endpoint in endpoints
            if not now < turns.get(endpoint.executor_id, 0) <= now + _TURN_MS
        ]

    async def _take(self, due: Sequence[PushEndpoint]) -> Sequence[PushEndpoint]:
        now = self._clock.now_ms()
        async with self._data.write() as writer:
            return [
                endpoint
                for endpoint in due
                if await writer.one(sql.take_probe, id=endpoint.executor_id, now=now, until=now + _TURN_MS)
            ]

    async def _probe(self, endpoint: PushEndpoint, gate: asyncio.Semaphore) -> Probed:
        try:
            async with gate:
                async with self._data.read() as reader:
                    key = await self._executors.key_of(reader, endpoint)
                return await probe(self._clients, endpoint, key)
        except (
            Exception
        ) as error:  # such as a key that cannot be unsealed: the others are probed all the same
            _log.error("executors.probe_failed", exc=error, executor=endpoint.executor_id)
            return Probed(False, "cannot be checked")


class Sightings:
    """Notes that a pull executor called, and not more often than it is worth a write."""

    def __init__(self, data: Data, clock: Clock) -> None:
        self._data = data
        self._clock = clock
        self._noted: dict[str, int] = {}

    async def seen(self, executor_id: str) -> None:
        """Not inside a scope. Of a person who claims for their team nothing is noted."""
        now = self._clock.steady_ms()
        if (
            not executor_id.startswith("exe_")
            or now - self._noted.get(executor_id, -SEEN_EVERY_MS) < SEEN_EVERY_MS
        ):
            return
        self._noted[executor_id] = now
        try:
            async with self._data.write() as writer:
                await writer.run(sql.saw, id=executor_id, now=self._clock.now_ms())
        except BaseException:
            del self._noted[executor_id]
            raise
