"""Whether push executors answer: each is probed now and then by one of the processes."""

import asyncio
import logging
from collections.abc import Sequence

from builtin_plugins.executors.push import Probed, PushEndpoint, probe
from builtin_plugins.executors.service import StoredExecutors, sql
from builtin_plugins.executors.verdicts import PROBE_EVERY_MS
from guildhall_sdk import Clock
from guildhall_sdk.data import Data

_log = logging.getLogger("guildhall.executors")

# A little short of a round, so that whoever took the turn finds it due at the next.
_TURN_MS = PROBE_EVERY_MS - 5_000
_AT_ONCE = 8


class HealthLoop:
    """Without push executors it reads now and then, writes nothing and loads nothing."""

    def __init__(self, data: Data, clock: Clock, executors: StoredExecutors) -> None:
        self._data = data
        self._clock = clock
        self._executors = executors

    async def run(self) -> None:
        while True:
            await self.probe_those_due()
            await asyncio.sleep(PROBE_EVERY_MS / 1000)

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
                return await probe(self._executors.clients, endpoint, key)
        except Exception:  # such as a key that cannot be unsealed: the others are probed all the same
            fields = {"executor": endpoint.executor_id}
            _log.exception("executors.probe_failed", extra={"fields": fields})
            return Probed(False, "cannot be checked")
